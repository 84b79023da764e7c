//! The rules of layer A, read from their file and made ready to match.
//!
//! The file is TOML: a version, and for each category its rules by name and its exceptions, each
//! a list of patterns. The one that is built in is `rules/default.toml`.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use toml::de::{DeTable, DeValue};

use super::category::Category;
use super::pattern::{NotAPattern, Step, parse};
use crate::Fingerprint;

/// The most patterns that a file has, and the most bytes.
const PATTERNS_MOST: usize = 10_000;
const BYTES_MOST: usize = 1024 * 1024;

/// Which rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// What it is about.
    pub category: Category,
    /// The rule's id: `category.name`.
    pub id: String,
}

/// What a pattern that is found means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// The rule of this number refuses.
    Refuses(usize),
    /// Whatever this category finds inside is fine.
    Excuses(Category),
}

/// A pattern, ready: where its steps are kept while a text is read, and what each lets pass.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) effect: Effect,
    pub(super) first: usize,
    pub(super) gaps: Vec<u32>,
}

/// A step of a pattern for which a word is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) pattern: usize,
    pub(super) step: usize,
    pub(super) span: usize,
    pub(super) plain: bool,
}

/// All the rules.
#[derive(Debug)]
pub struct Rulebook {
    version: String,
    pub(super) rules: Vec<Rule>,
    pub(super) patterns: Vec<Pattern>,
    /// How many steps all patterns have together.
    pub(super) steps: usize,
    pub(super) automaton: AhoCorasick,
    /// What each word of the automaton is looked for by.
    pub(super) slots: Vec<Vec<Slot>>,
}

/// Why a file is no rulebook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotARulebook {
    /// Not TOML.
    #[error("the rule file is not TOML: {0}")]
    Syntax(String),
    /// A value that is not what its key asks for.
    #[error("`{key}` in the rule file must be {wanted}")]
    Shape {
        /// Which key.
        key: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// A category that there is not.
    #[error("`{0}` in the rule file is not a category")]
    Category(String),
    /// A pattern that means nothing.
    #[error("`{pattern}` in `{key}` of the rule file {problem}")]
    Pattern {
        /// Where.
        key: String,
        /// Which.
        pattern: String,
        /// Why; reads as the end of a sentence that begins with the pattern.
        problem: NotAPattern,
    },
    /// More than anyone needs.
    #[error("the rule file must have at most {BYTES_MOST} bytes and {PATTERNS_MOST} patterns")]
    TooLarge,
}

impl Rulebook {
    /// The rules that are built in.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "a test reads the file that is built in")]
    pub fn built_in() -> Self {
        Self::read(include_str!("../../../rules/default.toml"))
            .expect("a test reads the file that is built in")
    }

    /// The rules in the text of a rule file.
    pub fn read(text: &str) -> Result<Self, NotARulebook> {
        if text.len() > BYTES_MOST {
            return Err(NotARulebook::TooLarge);
        }
        let table = DeTable::parse(text).map_err(|err| NotARulebook::Syntax(err.to_string()))?;
        let mut draft = Draft::default();
        let mut name = None;
        for (key, value) in table.get_ref() {
            let key: &str = key.get_ref();
            if key == "version" {
                name = Some(string(key, value.get_ref())?);
                continue;
            }
            let category =
                Category::named(key).ok_or_else(|| NotARulebook::Category(key.to_owned()))?;
            draft.category(category, value.get_ref())?;
        }
        let name = name.filter(|name| !name.is_empty() && name.len() <= 40);
        let name = name.ok_or_else(|| shape("version", "a string of 1 to 40 bytes"))?;
        // An edited file is another version, even where nobody thought of saying so.
        let [a, b, c, d, ..] = *Fingerprint::of_fields(&[text.as_bytes()]).as_bytes();
        let version = format!("{name}-{a:02x}{b:02x}{c:02x}{d:02x}");
        draft.ready(version)
    }

    /// The file's own version and a digest of it: what a verdict is kept under.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Every rule there is.
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

/// A rulebook while its file is read.
#[derive(Default)]
struct Draft {
    rules: Vec<Rule>,
    patterns: Vec<Pattern>,
    steps: usize,
    words: BTreeMap<String, Vec<Slot>>,
}

impl Draft {
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

    fn sequence(&mut self, effect: Effect, steps: Vec<Step>) -> Result<(), NotARulebook> {
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

    fn ready(self, version: String) -> Result<Rulebook, NotARulebook> {
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
