//! Categories of harm that the guardrails refuse.

/// A category of harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Watching people without their knowledge or consent.
    Surveillance,
    /// Weapons and how to make them.
    Weapons,
    /// Manipulation of elections and opinions by deceit.
    PoliticalManipulation,
    /// Exploitation of people who cannot afford or understand a transaction.
    FinancialExploitation,
    /// Worse treatment because of a person's identity.
    Discrimination,
    /// Claims of science that science has refuted, where believing them does harm.
    PseudoScience,
    /// Use or publication of private data of others.
    PrivacyViolation,
    /// Faked pictures, films and voices of real people.
    Deepfakes,
    /// Deception of people to obtain their secrets.
    SocialEngineering,
    /// Manipulation of prices by deceit.
    MarketManipulation,
    /// Forced, unpaid or child labor.
    LaborExploitation,
    /// Contempt and violence against groups of people.
    HateSpeech,
}

impl Category {
    /// All categories, in declaration order.
    pub const ALL: [Self; 12] = [
        Self::Surveillance,
        Self::Weapons,
        Self::PoliticalManipulation,
        Self::FinancialExploitation,
        Self::Discrimination,
        Self::PseudoScience,
        Self::PrivacyViolation,
        Self::Deepfakes,
        Self::SocialEngineering,
        Self::MarketManipulation,
        Self::LaborExploitation,
        Self::HateSpeech,
    ];

    /// The name in the API, the stores and the rule file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Surveillance => "surveillance",
            Self::Weapons => "weapons",
            Self::PoliticalManipulation => "political_manipulation",
            Self::FinancialExploitation => "financial_exploitation",
            Self::Discrimination => "discrimination",
            Self::PseudoScience => "pseudo_science",
            Self::PrivacyViolation => "privacy_violation",
            Self::Deepfakes => "deepfakes",
            Self::SocialEngineering => "social_engineering",
            Self::MarketManipulation => "market_manipulation",
            Self::LaborExploitation => "labor_exploitation",
            Self::HateSpeech => "hate_speech",
        }
    }

    /// The category with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}
