//! Verdicts of the judge and their text.

use std::fmt;

use super::cursor::Actor;
use super::settings::LabelLanguage;

/// The points of one debater, from 0 to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(u8);

impl Score {
    /// The score without any points.
    pub const ZERO: Self = Self(0);
    /// The highest number of points.
    pub const MOST: u8 = 10;

    /// Checks a number of points.
    pub const fn new(points: u8) -> Result<Self, NotAVerdict> {
        if points > Self::MOST { Err(NotAVerdict::Score) } else { Ok(Self(points)) }
    }

    /// The number without its type, for storage and output.
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

/// The debater who argued better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Winner {
    /// Debater A argued better.
    A,
    /// Debater B argued better.
    B,
    /// Both debaters argued equally well.
    Tie,
}

impl Winner {
    /// All outcomes, in declaration order.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::Tie];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::Tie => "tie",
        }
    }

    /// The winner with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
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
    /// The answer is not one JSON object with the five keys.
    #[error("the answer must be one JSON object with the five keys and nothing else")]
    Shape,
    /// A score is out of range.
    #[error("score_a and score_b must be whole numbers from 0 to 10")]
    Score,
    /// The winner is not one of the three values.
    #[error("winner must be \"a\", \"b\" or \"tie\"")]
    Winner,
    /// The summary is empty or too long.
    #[error("summary must be a text of 1 to {most} characters", most = Verdict::SUMMARY_MOST)]
    Summary,
}

/// The judge's verdict about the run so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The reasons in the author's words.
    pub summary: String,
    /// The score of debater A.
    pub score_a: Score,
    /// The score of debater B.
    pub score_b: Score,
    /// The debater who argued better.
    pub winner: Winner,
    /// Whether the last round had no new substantive arguments.
    pub no_new_substantive_arguments: bool,
}

impl Verdict {
    /// The maximum length of a summary in characters. No judge's answer reaches
    /// it within its tokens.
    pub const SUMMARY_MOST: usize = 100_000;

    /// Checks the five fields of an answer.
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

/// The result of a judge's turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// The judge gave a valid verdict.
    Given(Verdict),
    /// The judge gave no valid verdict, also when asked again. The result is a tie.
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

    /// Whether the verdict is the judge's: `metadata.verdict_valid`.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        match self {
            Self::Given(_) => true,
            Self::Missing => false,
        }
    }

    /// The five fields; of a missing verdict a tie without points.
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

    /// Whether the judge found no new substantive arguments.
    #[must_use]
    pub const fn has_no_new_arguments(&self) -> bool {
        match self {
            Self::Given(verdict) => verdict.no_new_substantive_arguments,
            Self::Missing => false,
        }
    }
}

/// The number of judge's turns in a row, from the newest, that found no new arguments. Turns of
/// debaters between them are ignored.
pub(super) fn count_trailing_unchanged<'t>(
    newest_first: impl Iterator<Item = (Actor, Option<&'t Judgement>)>,
) -> u32 {
    let judges = newest_first.filter(|(actor, _)| *actor == Actor::Judge);
    let flagged = judges.take_while(|(_, said)| said.is_some_and(Judgement::has_no_new_arguments));
    u32::try_from(flagged.count()).unwrap_or(u32::MAX)
}
