//! Rule files, the meaning of their patterns, and the cost of scanning a text.

use std::sync::LazyLock;

use debate_core::forum::guardrail::{Category, NotARulebook, Rulebook, normalize};
use proptest::prelude::*;

static BUILT_IN: LazyLock<Rulebook> = LazyLock::new(Rulebook::built_in);

fn rulebook(patterns: &[&str], except: &[&str]) -> Rulebook {
    let file = format!("version = 't'\n[weapons]\nexcept = {except:?}\nrules.r = {patterns:?}\n");
    Rulebook::read(&file).expect("it is a rulebook")
}

fn hits(rulebook: &Rulebook, text: &str) -> bool {
    !rulebook.scan(text).refused_by.is_empty()
}

#[test]
fn pattern_matches_its_words_and_operators() {
    let table: [(&str, &[&str], &[&str]); 9] = [
        ("bomb", &["bomb", "A BOMB!", "the bomb."], &["bombs", "bombastic", "abomb"]),
        ("bomb~", &["bombs", "bombing", "bomber"], &["bombastic", "bombard"]),
        ("stab~", &["stabbing", "stabbed", "stabs"], &["stability"]),
        ("оружи*", &["оружие", "Оружием"], &["вооружить", "оруженосец"]),
        ("*waffe", &["Waffe", "Stichwaffe"], &["Waffel"]),
        ("my (pet|old dog)~ ran", &["my pets ran", "my old dogs ran"], &["my dog ran", "pet ran"]),
        ("one .. two", &["one two", "one by by by two"], &["one by by by by two", "two one"]),
        ("one ..1 two", &["one by two"], &["one by by two"]),
        ("制造 ..2 炸弹", &["他们制造炸弹", "制造一个炸弹"], &["制造很多个炸弹", "炸弹制造"]),
    ];
    for (pattern, found, not_found) in table {
        let rulebook = rulebook(&[pattern], &[]);
        for text in found {
            assert!(hits(&rulebook, text), "{pattern} in {text}");
        }
        for text in not_found {
            assert!(!hits(&rulebook, text), "{pattern} in {text}");
        }
    }
}

#[test]
fn inflected_word_matches_its_regular_forms_only() {
    let table: [(&str, &[&str], &[&str]); 10] = [
        ("carry~", &["carry", "carries", "carried", "carrying", "carriers"], &["carrys"]),
        ("play~", &["plays", "played", "playing"], &["plaies", "playying"]),
        ("make~", &["makes", "making", "makers"], &["makeing"]),
        ("kiss~", &["kisses", "kissed"], &["kissies"]),
        ("box~", &["boxes", "boxing"], &["boxs", "boxxing"]),
        ("catch~", &["catches", "catching"], &["catchs"]),
        ("show~", &["shows", "showing"], &["showwing"]),
        ("help~", &["helps", "helping"], &["helpping"]),
        ("rain~", &["rains", "raining"], &["rainning"]),
        ("stab~", &["stabs", "stabbing"], &["stabbs"]),
    ];
    for (pattern, found, not_found) in table {
        let rulebook = rulebook(&[pattern], &[]);
        for text in found {
            assert!(hits(&rulebook, text), "{pattern} in {text}");
        }
        for text in not_found {
            assert!(!hits(&rulebook, text), "{pattern} in {text}");
        }
    }
}

#[test]
fn one_word_matches_one_step_of_a_pattern() {
    let rulebook = rulebook(&["bomb* bomb"], &[]);
    assert!(!hits(&rulebook, "bomb"));
    assert!(hits(&rulebook, "bomb bomb"));
    assert!(hits(&rulebook, "bombs bomb"));
}

#[test]
fn exception_applies_only_to_matches_inside_it() {
    let patterns = ["gun~", "buy .. gun~", "hot shop"];
    let rulebook = rulebook(&patterns, &["glue gun~", "no .. guns", "so hot"]);
    for (text, refused) in [
        ("a glue gun", false),
        ("glue guns", false),
        ("a gun", true),
        ("a glue gun and a gun", true),
        ("a gun and a glue gun", true),
        ("no more guns", false),
        ("buy a glue gun", true),
        ("so hot shop", true),
    ] {
        assert_eq!(hits(&rulebook, text), refused, "{text}");
    }
}

#[test]
fn disguised_words_are_normalised() {
    let rulebook = rulebook(&["weapon~", "phish~", "kill"], &[]);
    for text in [
        "WEAPON",
        "ｗｅａｐｏｎ",
        "w\u{200b}e\u{ad}a\u{2060}pon",
        "we\u{336}a\u{336}pon",
        "wéàpön",
        "w3ap0n",
        "we@pon$",
        "wеароn",
        "w.e.a.p.o.n",
        "w e a p o n",
        "a w e a p o n",
        "wea-pon",
        "weaaapon",
        "𝔴𝔢𝔞𝔭𝔬𝔫",
        "ⓦⓔⓐⓟⓞⓝ",
        "🅆🄴🄰🄿🄾🄽",
        "🆆🅴🅰🅿🅾🅽",
        "ph1sh1ng",
        "k1ll and ki11",
        "ki111",
        "w3apon!",
        "\nwea&#112;on\n",
        "w    e    a    p    o    n",
        "https://example.org/weapons?x=1",
    ] {
        assert!(hits(&rulebook, text), "{text}");
    }
    for text in [
        "we a pon",
        "weap on",
        "Weaponsworth",
        "k. ill",
        "fish 1 ng",
        "w     e     a     p     o     n",
    ] {
        assert!(!hits(&rulebook, text), "{text}");
    }
}

#[test]
fn ids_are_not_matched_as_disguised_words() {
    let rulebook = rulebook(&["ieds", "one two"], &[]);
    for text in [
        "01a1e5ec-1ed5-726f-9516-df6461dd1a0f",
        "debate 01A1E5EC-1ED5-726F-9516-DF6461DD1A0F.",
        "see /debates/01a1e5ec-1ed5-726f-9516-df6461dd1a0f?after=3",
        "één 01a1e5ec-1ed5-726f-9516-df6461dd1a0f é",
    ] {
        assert!(!hits(&rulebook, text), "{text}");
    }
    for text in [
        "1ed5",
        "an-1ed5-here",
        "01a1e5ec-1ed5-726f-9516",
        "x01a1e5ec-1ed5-726f-9516-df6461dd1a0f",
        "01a1e5ec-1ed5-726f-9516-df6461dd1a0fx",
        "01a1e5ec-1ed5-726f-9516-df6461dd1a0f 1ed5",
        "one 01a1e5ec-1ed5-726f-9516-df6461dd1a0f two",
    ] {
        assert!(hits(&rulebook, text), "{text}");
    }
}

#[test]
fn diacritics_that_change_a_word_prevent_a_match() {
    let rulebook = rulebook(&["vũ khí"], &[]);
    assert!(hits(&rulebook, "Vũ Khí") && hits(&rulebook, "vu khi"));
    assert!(!hits(&rulebook, "vụ khi") && !hits(&rulebook, "vú khí"));
    assert!(hits(&rulebook, "vu\u{303} khi\u{301}") && !hits(&rulebook, "vu\u{323} khi"));
    assert!(hits(&rulebook, "v*u* khi"), "without formatting it is the word without diacritics");
}

#[test]
fn built_in_rules_cover_every_category_with_unique_names() {
    let rulebook = &BUILT_IN;
    let mut ids: Vec<_> = rulebook.rules().iter().map(|rule| rule.id.as_str()).collect();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
    for category in Category::ALL {
        assert!(rulebook.rules().iter().any(|rule| rule.category == category), "{category:?}");
    }
    for rule in rulebook.rules() {
        assert!(rule.id.starts_with(&format!("{}.", rule.category.name())), "{}", rule.id);
    }
}

#[test]
fn invalid_rule_file_is_refused_with_its_location() {
    for (file, says) in [
        ("version", "the rule file is not TOML"),
        ("[weapons]", "`version` in the rule file must be a string of 1 to 40 bytes"),
        ("version = 1", "`version` in the rule file must be a string"),
        ("version = ''", "`version` in the rule file must be a string of 1 to 40 bytes"),
        ("version = \"1\"\n[cats]", "`cats` in the rule file is not a category"),
        ("version = \"1\"\nweapons = 1", "`weapons` in the rule file must be a table"),
        ("version = \"1\"\n[weapons]\nwords = []", "`weapons.words` in the rule file must be"),
        ("version = \"1\"\n[weapons]\nexcept = \"a\"", "must be a list of patterns"),
        (
            "version = \"1\"\n[weapons.rules]\na = [1]",
            "`weapons.a` in the rule file must be a string",
        ),
        ("version = \"1\"\n[weapons.rules]\na = [\"..\"]", "`..` in `weapons.a`"),
        ("version = \"1\"\n[weapons.rules]\na = [\"x ..\"]", "must have a word before and after"),
        ("version = \"1\"\n[weapons.rules]\na = [\".. x\"]", "must have a word before and after"),
        (
            "version = \"1\"\n[weapons.rules]\na = [\"x .. .. y\"]",
            "must have a word before and after",
        ),
        ("version = \"1\"\n[weapons.rules]\na = [\"x ..99 y\"]", "takes 1 to 9 for N"),
        ("version = \"1\"\n[weapons.rules]\na = [\"!\"]", "contains no word"),
        ("version = \"1\"\n[weapons.rules]\na = [\"(a|b\"]", "words between its brackets"),
        ("version = \"1\"\n[weapons.rules]\na = [\"ab*\"]", "at least three letters"),
        ("version = \"1\"\n[weapons.rules]\na = [\"*ab\"]", "at least three letters"),
        ("version = \"1\"\n[weapons.rules]\na = [\"abc*def\"]", "at least three letters"),
    ] {
        let refusal = Rulebook::read(file).expect_err(file).to_string();
        assert!(refusal.contains(says), "{file}: {refusal}");
    }
}

#[test]
fn rule_file_is_accepted_up_to_its_limits() {
    let file = "version = 't'";
    let padded = |bytes: usize| format!("{file}{}", " ".repeat(bytes - file.len()));
    assert!(Rulebook::read(&padded(1024 * 1024)).is_ok());
    for bytes in [1024 * 1024 + 1, 2_000_000] {
        assert_eq!(Rulebook::read(&padded(bytes)).err(), Some(NotARulebook::TooLarge));
    }
    let named = |bytes: usize| Rulebook::read(&format!("version = '{}'", "v".repeat(bytes)));
    assert!(named(40).is_ok() && named(41).is_err());
    let with = |pattern: &str| {
        Rulebook::read(&format!("version = 't'\n[weapons.rules]\nr = ['{pattern}']"))
    };
    assert!(with("abc*").is_ok() && with("*abc").is_ok());
    // Each choice with two words doubles the sequences; choices of single words share one.
    let doubled = |times: usize| with(&"(a b|c d) ".repeat(times));
    assert!(doubled(6).is_ok());
    for times in [7, 8] {
        let refusal = doubled(times).expect_err("it has too many sequences").to_string();
        assert!(refusal.contains("more than 64 word sequences"), "{refusal}");
    }
    let words: Vec<String> = (100..200).map(|number| format!("w{number}")).collect();
    assert!(with(&format!("({})", words.join("|"))).is_ok());
}

#[test]
fn edited_rule_file_has_another_version() {
    let [one, other] = ["a", "b"].map(|word| rulebook(&[word], &[]).version().to_owned());
    assert!(one.starts_with("t-") && other.starts_with("t-"));
    assert_ne!(one, other);
}

/// Texts that match many patterns partially, and texts that are expensive to normalise.
const ADVERSARIAL: [&str; 7] = [
    "build make sell weapon vote ",
    "a.b.c.d.",
    "aaaaaaaaaaaaaaaa",
    "track monitor follow every all people without ",
    "\u{fdfa}",
    "e\u{301}\u{301}\u{336}",
    "操纵制造不雇佣",
];

/// The cost is counted in steps, so no clock is needed: ten times the text may cost at most
/// ten times as much.
#[test]
fn scan_cost_is_linear_in_the_text() {
    let rulebook = &BUILT_IN;
    for piece in ADVERSARIAL {
        let of = |bytes: usize| {
            let text = piece.repeat(bytes / piece.len());
            (rulebook.scan(&text).effort, text.len())
        };
        let ((small, small_bytes), (large, large_bytes)) = (of(1_000), of(10_000));
        // The last word of a text may be cut differently.
        let fair = small * large_bytes.div_ceil(small_bytes) + 1_000;
        assert!(large <= fair, "{piece:?}: {small} for a tenth, {large} for the whole");
        assert!(large <= 400 * large_bytes, "{piece:?}: {large} steps");
    }
}

/// Views with the same words are scanned once.
#[test]
fn text_without_disguises_is_scanned_once() {
    let rulebook = rulebook(&["weapon"], &[]);
    for text in ["two plain words", " Two\nplain\twords", "两词 and"] {
        let scanned = rulebook.scan(text).effort;
        assert!(scanned <= text.len() + 4, "{text}: {scanned}");
    }
}

proptest! {
    #[test]
    fn any_text_can_be_scanned(text in "\\PC{0,200}", odd: Vec<char>) {
        let rulebook = &BUILT_IN;
        let odd: String = odd.into_iter().collect();
        prop_assert!(rulebook.scan(&odd).effort > 0);
        prop_assert!(rulebook.scan(&text).effort > 0);
    }

    #[test]
    fn refused_word_is_refused_at_any_position(
        before in "[a-z ]{0,40}", after in "[a-z ]{0,40}",
    ) {
        let rulebook = rulebook(&["weapon~"], &[]);
        let text = format!("{before} weapons {after}");
        prop_assert!(hits(&rulebook, &text));
    }

    #[test]
    fn normalisation_is_idempotent(text in "\\PC{0,100}") {
        let once = normalize(&text);
        prop_assert_eq!(normalize(&once), once);
    }
}
