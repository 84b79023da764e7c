//! What a judge decides, and how it reads.

use std::fmt;

use super::cursor::Actor;
use super::language::LabelLanguage;

/// Points for one side, 0 to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(u8);

impl Score {
    /// None at all.
    pub const ZERO: Self = Self(0);
    /// The best.
    pub const MOST: u8 = 10;

    /// So many points, if a side can have them.
    pub const fn new(points: u8) -> Result<Self, NotAVerdict> {
        if points > Self::MOST { Err(NotAVerdict::Score) } else { Ok(Self(points)) }
    }

    /// The points themselves.
    #[must_use]
    pub const fn points(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Who argued better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Winner {
    /// Debater A.
    A,
    /// Debater B.
    B,
    /// Neither.
    Tie,
}

impl Winner {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::Tie];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::Tie => "tie",
        }
    }

    /// The winner of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|winner| winner.name() == name)
    }

    /// The name as a reader of `language` sees it.
    #[must_use]
    pub const fn label(self, language: LabelLanguage) -> &'static str {
        match (self, language) {
            (Self::A, _) => "A",
            (Self::B, _) => "B",
            (Self::Tie, LabelLanguage::English) => "Tie",
            (Self::Tie, LabelLanguage::SimplifiedChinese) => "平局",
            (Self::Tie, LabelLanguage::TraditionalChinese) => "平手",
        }
    }
}

/// Why an answer is not a verdict. The texts are part of the prompts `v1` and `v2`, which ask the
/// judge again, and must not change. They do not repeat the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAVerdict {
    /// Not the one JSON object.
    #[error("the answer must be one JSON object with the five keys and nothing else")]
    Shape,
    /// Points out of bounds.
    #[error("score_a and score_b must be whole numbers from 0 to 10")]
    Score,
    /// Nobody that could win.
    #[error("winner must be \"a\", \"b\" or \"tie\"")]
    Winner,
    /// Nothing to read.
    #[error("summary must be a text of 1 to {most} characters", most = Verdict::SUMMARY_MOST)]
    Summary,
}

/// What a judge said of the debate so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Why, in words.
    pub summary: String,
    /// Points for A.
    pub score_a: Score,
    /// Points for B.
    pub score_b: Score,
    /// Who argued better.
    pub winner: Winner,
    /// Whether the last round brought nothing new.
    pub no_new_substantive_arguments: bool,
}

impl Verdict {
    /// The most characters a summary has: more than the tokens of any judge's answer make.
    pub const SUMMARY_MOST: usize = 100_000;

    /// A verdict from its five fields, as an answer brings them.
    pub fn new(
        summary: &str,
        [score_a, score_b]: [u8; 2],
        winner: Winner,
        no_new_substantive_arguments: bool,
    ) -> Result<Self, NotAVerdict> {
        let summary = summary.trim().replace('\0', "\u{fffd}");
        if summary.is_empty() || summary.chars().count() > Self::SUMMARY_MOST {
            return Err(NotAVerdict::Summary);
        }
        let (score_a, score_b) = (Score::new(score_a)?, Score::new(score_b)?);
        Ok(Self { summary, score_a, score_b, winner, no_new_substantive_arguments })
    }

    /// The text of the judge's turn: winner, scores and summary, with labels in `language`.
    #[must_use]
    pub fn content(&self, language: LabelLanguage) -> String {
        let Self { summary, score_a, score_b, winner, .. } = self;
        let (winner_label, scores_label) = match language {
            LabelLanguage::English => ("Winner", "Scores"),
            LabelLanguage::SimplifiedChinese => ("胜者", "分数"),
            LabelLanguage::TraditionalChinese => ("勝者", "分數"),
        };
        let winner = winner.label(language);
        format!("{winner_label}: {winner}\n{scores_label}: A={score_a}, B={score_b}\n\n{summary}")
    }
}

/// A judge's turn decided: by the judge, or by nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// The judge's own verdict.
    Given(Verdict),
    /// The judge gave none, even when asked again. Nobody wins by that.
    Missing,
}

impl Judgement {
    /// The summary of a missing verdict. Earlier turns show it and database digests contain it, so
    /// it must not change.
    pub const MISSING_SUMMARY: &str =
        "The judge gave no valid verdict, also when asked again. This is a placeholder.";

    /// The text of the judge's turn, with labels in `language`.
    #[must_use]
    pub fn content(&self, language: LabelLanguage) -> String {
        let summary = match (self, language) {
            (Self::Given(verdict), _) => return verdict.content(language),
            (Self::Missing, LabelLanguage::English) => Self::MISSING_SUMMARY,
            (Self::Missing, LabelLanguage::SimplifiedChinese) => {
                "裁判没有给出有效的裁决，再次询问后仍然没有。此处为占位内容。"
            }
            (Self::Missing, LabelLanguage::TraditionalChinese) => {
                "裁判沒有給出有效的裁決，再次詢問後仍然沒有。此處為佔位內容。"
            }
        };
        let placeholder = Verdict { summary: summary.to_owned(), ..self.verdict() };
        placeholder.content(language)
    }

    /// Whether the judge gave it: `metadata.verdict_valid`.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        match self {
            Self::Given(_) => true,
            Self::Missing => false,
        }
    }

    /// The five fields; those of nobody's win where the judge gave none.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Given(verdict) => verdict.clone(),
            Self::Missing => Verdict {
                summary: Self::MISSING_SUMMARY.to_owned(),
                score_a: Score::ZERO,
                score_b: Score::ZERO,
                winner: Winner::Tie,
                no_new_substantive_arguments: false,
            },
        }
    }

    /// Whether the judge says that nothing new was brought.
    #[must_use]
    pub const fn says_nothing_new(&self) -> bool {
        match self {
            Self::Given(verdict) => verdict.no_new_substantive_arguments,
            Self::Missing => false,
        }
    }
}

/// How many judges in a row, the newest first, said that nothing new was brought. Debaters' turns
/// between them don't count.
pub(super) fn trailing_nothing_new<'t>(
    newest_first: impl Iterator<Item = (Actor, Option<&'t Judgement>)>,
) -> u32 {
    let judges = newest_first.filter(|(actor, _)| *actor == Actor::Judge);
    let flagged = judges.take_while(|(_, said)| said.is_some_and(Judgement::says_nothing_new));
    u32::try_from(flagged.count()).unwrap_or(u32::MAX)
}
