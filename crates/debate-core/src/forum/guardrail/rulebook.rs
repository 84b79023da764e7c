//! The rules of layer A, parsed and compiled for matching.
//!
//! The file is TOML: a version, and per category named rules and exceptions, each a list of
//! patterns. The built-in file is `rules/default.toml`.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use toml::de::{DeTable, DeValue};

use super::category::Category;
use super::pattern::{NotAPattern, PatternStep, parse};
use crate::Fingerprint;

/// The maximum number of patterns and of bytes of a file.
const PATTERNS_MOST: usize = 10_000;
const BYTES_MOST: usize = 1024 * 1024;

/// A rule by its category and id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// The category of harm.
    pub category: Category,
    /// The rule's id: `category.name`.
    pub id: String,
}

/// The effect of a matched pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// The rule with this index refuses the text.
    Refuses(usize),
    /// Matches of this category inside the pattern are excused.
    Excuses(Category),
}

/// A compiled pattern: the index of its first step, and the gap before each step.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) effect: Effect,
    pub(super) first: usize,
    pub(super) gaps: Vec<u32>,
}

/// A step of a pattern that a word matches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) pattern: usize,
    pub(super) step: usize,
    pub(super) span: usize,
    pub(super) plain: bool,
}

/// The compiled rules of a file.
#[derive(Debug)]
pub struct Rulebook {
    version: String,
    pub(super) rules: Vec<Rule>,
    pub(super) patterns: Vec<Pattern>,
    /// The number of steps of all patterns.
    pub(super) steps: usize,
    pub(super) automaton: AhoCorasick,
    /// The steps that each word of the automaton matches.
    pub(super) slots: Vec<Vec<Slot>>,
}

/// The reason why a rule file is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotARulebook {
    /// The file is not TOML.
    #[error("the rule file is not TOML: {0}")]
    Syntax(String),
    /// A value has the wrong type.
    #[error("`{key}` in the rule file must be {wanted}")]
    Shape {
        /// The key of the value.
        key: String,
        /// The type that is expected.
        wanted: &'static str,
    },
    /// The category does not exist.
    #[error("`{0}` in the rule file is not a category")]
    Category(String),
    /// A pattern is invalid.
    #[error("`{pattern}` in `{key}` of the rule file {problem}")]
    Pattern {
        /// The key of the list.
        key: String,
        /// The text of the pattern.
        pattern: String,
        /// The reason, which completes a sentence that begins with the pattern.
        problem: NotAPattern,
    },
    /// The file has too many bytes or patterns.
    #[error("the rule file must have at most {BYTES_MOST} bytes and {PATTERNS_MOST} patterns")]
    TooLarge,
}

impl Rulebook {
    /// The rules of the built-in file.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "a test reads the file that is built in")]
    pub fn built_in() -> Self {
        Self::read(include_str!("../../../rules/default.toml"))
            .expect("a test reads the file that is built in")
    }

    /// Parses a rule file.
    pub fn read(text: &str) -> Result<Self, NotARulebook> {
        if text.len() > BYTES_MOST {
            return Err(NotARulebook::TooLarge);
        }
        let table = DeTable::parse(text).map_err(|err| NotARulebook::Syntax(err.to_string()))?;
        let mut draft = RulebookBuilder::default();
        let mut name = None;
        for (key, value) in table.get_ref() {
            let key: &str = key.get_ref();
            if key == "version" {
                name = Some(string(key, value.get_ref())?);
                continue;
            }
            let category =
                Category::from_name(key).ok_or_else(|| NotARulebook::Category(key.to_owned()))?;
            draft.category(category, value.get_ref())?;
        }
        let name = name.filter(|name| !name.is_empty() && name.len() <= 40);
        let name = name.ok_or_else(|| shape("version", "a string of 1 to 40 bytes"))?;
        // The digest gives an edited file another version, also if its `version` was not changed.
        let [a, b, c, d, ..] = *Fingerprint::from_fields(&[text.as_bytes()]).as_bytes();
        let version = format!("{name}-{a:02x}{b:02x}{c:02x}{d:02x}");
        draft.build(version)
    }

    /// The version of the file with a digest of its text. It is part of the key
    /// of a cached assessment.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// All rules, in the order of the file.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

fn shape(key: &str, wanted: &'static str) -> NotARulebook {
    NotARulebook::Shape { key: key.to_owned(), wanted }
}

fn string<'t>(key: &str, value: &'t DeValue<'_>) -> Result<&'t str, NotARulebook> {
    value.as_str().ok_or_else(|| shape(key, "a string"))
}

/// A rulebook under construction.
#[derive(Default)]
struct RulebookBuilder {
    rules: Vec<Rule>,
    patterns: Vec<Pattern>,
    steps: usize,
    words: BTreeMap<String, Vec<Slot>>,
}

impl RulebookBuilder {
    fn category(&mut self, category: Category, value: &DeValue<'_>) -> Result<(), NotARulebook> {
        let wanted = "a table of `rules` and `except`";
        let table = value.as_table().ok_or_else(|| shape(category.name(), wanted))?;
        for (key, value) in table {
            let path = format!("{}.{}", category.name(), key.get_ref());
            match key.get_ref().as_ref() {
                "except" => self.lines(&path, Effect::Excuses(category), value.get_ref())?,
                "rules" => {
                    let rules = value.get_ref().as_table();
                    let rules = rules.ok_or_else(|| shape(&path, "a table of lists"))?;
                    for (name, lines) in rules {
                        let id = format!("{}.{}", category.name(), name.get_ref());
                        let effect = Effect::Refuses(self.rules.len());
                        self.rules.push(Rule { category, id: id.clone() });
                        self.lines(&id, effect, lines.get_ref())?;
                    }
                }
                _ => return Err(shape(&path, "`rules` or `except`")),
            }
        }
        Ok(())
    }

    fn lines(
        &mut self,
        key: &str,
        effect: Effect,
        value: &DeValue<'_>,
    ) -> Result<(), NotARulebook> {
        let lines = value.as_array().ok_or_else(|| shape(key, "a list of patterns"))?;
        for line in lines {
            self.line(key, effect, string(key, line.get_ref())?)?;
        }
        Ok(())
    }

    fn line(&mut self, key: &str, effect: Effect, line: &str) -> Result<(), NotARulebook> {
        let sequences = parse(line).map_err(|problem| NotARulebook::Pattern {
            key: key.to_owned(),
            pattern: line.to_owned(),
            problem,
        })?;
        for steps in sequences {
            self.sequence(effect, steps)?;
        }
        Ok(())
    }

    fn sequence(&mut self, effect: Effect, steps: Vec<PatternStep>) -> Result<(), NotARulebook> {
        let pattern = self.patterns.len();
        if pattern == PATTERNS_MOST {
            return Err(NotARulebook::TooLarge);
        }
        let gaps = steps.iter().map(|step| step.gap).collect();
        self.patterns.push(Pattern { effect, first: self.steps, gaps });
        self.steps += steps.len();
        for (step, words) in steps.into_iter().map(|step| step.words).enumerate() {
            for word in words {
                let slot = Slot { pattern, step, span: word.span, plain: word.plain };
                self.words.entry(word.text).or_default().push(slot);
            }
        }
        Ok(())
    }

    fn build(self, version: String) -> Result<Rulebook, NotARulebook> {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(self.words.keys())
            .map_err(|_| NotARulebook::TooLarge)?;
        Ok(Rulebook {
            version,
            rules: self.rules,
            patterns: self.patterns,
            steps: self.steps,
            automaton,
            slots: self.words.into_values().collect(),
        })
    }
}
