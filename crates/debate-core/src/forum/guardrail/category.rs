//! What the guardrails refuse, by name.

/// One kind of harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Watching people who do not know or can't object.
    Surveillance,
    /// Things made to hurt, and how to make them.
    Weapons,
    /// Bending elections and opinions by deceit.
    PoliticalManipulation,
    /// Taking money from those who can't afford or don't understand it.
    FinancialExploitation,
    /// Worse treatment for who someone is.
    Discrimination,
    /// Claims of science that science has refuted, where believing them does harm.
    PseudoScience,
    /// Using or showing what belongs to others alone.
    PrivacyViolation,
    /// Faked pictures, films and voices of real people.
    Deepfakes,
    /// Talking people out of their secrets.
    SocialEngineering,
    /// Bending prices by deceit.
    MarketManipulation,
    /// Work that is forced, unpaid, or done by children.
    LaborExploitation,
    /// Contempt and violence against groups of people.
    HateSpeech,
}

impl Category {
    /// Every category.
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

    /// The name by which the contract, the stores and the rule file know it.
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

    /// The category of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}
