//! Accepted and refused titles, contents, keys, searches, ids and amounts.

use debate_core::{
    ArgumentId, Content, ContentError, DebateId, Limit, NotAUuid, OutOfRange, RequestKey,
    SearchText, Seq, TextError, Title,
};
use proptest::prelude::*;

/// White space of several kinds, which counts as blank.
const BLANKS: [&str; 5] = ["", " ", "\t\r\n", "\u{a0}\u{2003}", "\u{3000}"];

fn title(text: &str) -> Result<Title, TextError> {
    Title::new(text.to_owned())
}

fn key(text: &str) -> Result<RequestKey, TextError> {
    RequestKey::new(text.to_owned())
}

fn content(text: &str, most_bytes: usize) -> Result<Content, ContentError> {
    Content::new(text.to_owned(), most_bytes)
}

#[test]
fn title_has_1_to_300_characters() {
    assert_eq!(title("x").unwrap().as_str(), "x");
    assert!(title(&"x".repeat(300)).is_ok());
    assert_eq!(title(&"x".repeat(301)), Err(TextError::TooLong { most: 300 }));
}

#[test]
fn title_length_is_counted_in_characters() {
    assert!(title(&"ü".repeat(300)).is_ok());
    assert!(title(&"🦀".repeat(300)).is_ok());
    assert_eq!(title(&"🦀".repeat(301)), Err(TextError::TooLong { most: 300 }));
}

#[test]
fn blank_title_key_search_or_content_is_refused() {
    for blank in BLANKS {
        assert_eq!(title(blank), Err(TextError::Blank), "{blank:?}");
        assert_eq!(key(blank), Err(TextError::Blank), "{blank:?}");
        assert_eq!(SearchText::new(blank), Err(TextError::Blank), "{blank:?}");
        assert_eq!(content(blank, 100), Err(TextError::Blank.into()), "{blank:?}");
    }
}

#[test]
fn nul_character_is_refused_in_every_text() {
    assert_eq!(title("a\0b"), Err(TextError::Nul));
    assert_eq!(key("a\0b"), Err(TextError::Nul));
    assert_eq!(SearchText::new("a\0b"), Err(TextError::Nul));
    assert_eq!(content("a\0b", 100), Err(TextError::Nul.into()));
    assert_eq!(Content::new_or_blank("\0".to_owned(), 100), Err(TextError::Nul.into()));
}

#[test]
fn title_keeps_surrounding_spaces() {
    assert_eq!(title("  two\nlines\t").unwrap().as_str(), "  two\nlines\t");
}

#[test]
fn content_length_is_counted_in_utf8_bytes() {
    assert!(content("abcd", 4).is_ok());
    assert_eq!(content("abcde", 4), Err(ContentError::TooLarge { most_bytes: 4 }));
    assert!(content("🦀", 4).is_ok());
    assert_eq!(content("🦀a", 4), Err(ContentError::TooLarge { most_bytes: 4 }));
    assert_eq!(content("ü", 1), Err(ContentError::TooLarge { most_bytes: 1 }));
}

#[test]
fn blank_content_counts_as_missing_even_when_it_is_too_large() {
    assert_eq!(content("     ", 4), Err(TextError::Blank.into()));
}

#[test]
fn intervention_may_be_empty_but_not_too_long() {
    for blank in BLANKS {
        let stored = Content::new_or_blank(blank.to_owned(), 100).unwrap();
        assert_eq!(stored.as_str(), blank);
    }
    let too_much = Content::new_or_blank("abcde".to_owned(), 4);
    assert_eq!(too_much, Err(ContentError::TooLarge { most_bytes: 4 }));
}

#[test]
fn content_keeps_line_ends_and_control_characters() {
    let text = "a\r\nb\tc\u{1b}[0m";
    assert_eq!(content(text, 100).unwrap().as_str(), text);
}

#[test]
fn debug_output_hides_content() {
    let shown = format!("{:?}", content("a secret plan", 100).unwrap());
    assert_eq!(shown, "Content(13 bytes)");
}

#[test]
fn key_has_1_to_200_printable_characters() {
    assert_eq!(key("x").unwrap().as_str(), "x");
    assert!(key(&"é".repeat(200)).is_ok());
    assert_eq!(key(&"é".repeat(201)), Err(TextError::TooLong { most: 200 }));
    for control in ['\n', '\t', '\r', '\u{1}', '\u{1b}', '\u{7f}', '\u{85}', '\u{9f}'] {
        assert_eq!(key(&format!("a{control}b")), Err(TextError::Unprintable), "{control:?}");
    }
    assert!(key("any text: it need not be a UUID, ✓").is_ok());
}

#[test]
fn search_has_1_to_200_characters() {
    assert!(SearchText::new("x").is_ok());
    assert!(SearchText::new(&"ß".repeat(200)).is_ok());
    assert_eq!(SearchText::new(&"ß".repeat(201)), Err(TextError::TooLong { most: 200 }));
}

#[test]
fn search_ignores_case_in_title_and_motion() {
    let haystack = SearchText::haystack("Über Tabs", "ПРИВЕТ, Κόσμε");
    for part in ["über", "ÜBER TABS", "tabs", "привет", "Привет, κόσ", "ΚΌΣΜΕ"]
    {
        let search = SearchText::new(part).unwrap();
        assert!(haystack.contains(search.as_str()), "{part}");
    }
    assert!(!haystack.contains(SearchText::new("spaces").unwrap().as_str()));
}

/// Greek has two small sigmas for one capital, by the position in the word; a search does not know
/// the position that it is compared with.
#[test]
fn search_finds_a_sigma_at_any_position_of_a_word() {
    for (title, part) in [("ΟΔΟΣ", "Σ"), ("ΟΔΟΣΑ", "ΟΔΟΣ"), ("οδος", "ΟΣ"), ("ΟΔΟΣ", "οσ")]
    {
        let search = SearchText::new(part).unwrap();
        let haystack = SearchText::haystack(title, "motion");
        assert!(haystack.contains(search.as_str()), "{part} in {title}");
    }
}

proptest! {
    #[test]
    fn search_finds_any_part_of_a_title_or_motion(
        title in "[a-zA-ZäÄßẞéÉжЖİıĳĲ %_*.\\\\]{1,30}",
        motion in "\\PC{1,60}",
        from in 0_usize..60,
        count in 1_usize..20,
    ) {
        for text in [&title, &motion] {
            let part: String = text.chars().skip(from).take(count).collect();
            if let Ok(search) = SearchText::new(&part) {
                prop_assert!(SearchText::haystack(&title, &motion).contains(search.as_str()));
            }
        }
    }

    #[test]
    fn id_is_parsed_back_from_its_text(bytes: [u8; 16]) {
        let id = DebateId::new(uuid::Uuid::from_bytes(bytes));
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        prop_assert_eq!(id.to_string().to_uppercase().parse(), Ok(id));
        prop_assert_eq!(id.uuid().into_bytes(), bytes);
    }

    #[test]
    fn text_of_another_shape_is_not_an_id(text in "\\PC{0,50}") {
        prop_assume!(uuid::Uuid::try_parse(&text).is_err());
        prop_assert_eq!(text.parse::<ArgumentId>(), Err(NotAUuid));
    }
}

#[test]
fn id_is_displayed_in_lower_case() {
    let id: DebateId = "01890A5D-AC96-774B-BCCE-B302099A8057".parse().unwrap();
    assert_eq!(id.to_string(), "01890a5d-ac96-774b-bcce-b302099a8057");
    assert_eq!(Ok(id), "01890a5d-ac96-774b-bcce-b302099a8057".parse());
    assert_eq!(format!("{id:?}"), "DebateId(01890a5d-ac96-774b-bcce-b302099a8057)");
}

#[test]
fn id_without_hyphens_is_refused() {
    let others = [
        "",
        "01890a5dac96774bbcceb302099a8057",
        "{01890a5d-ac96-774b-bcce-b302099a8057}",
        "urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057",
        " 01890a5d-ac96-774b-bcce-b302099a805",
        "01890a5d-ac96-774b-bcce-b302099a805",
        "01890a5d-ac96-774b-bcce-b302099a80577",
        "01890a5d-ac96-774b-bcce-b302099a805g",
        "01890a5d0ac96-774b-bcce-b302099a8057",
        "0189-0a5dac96-774b-bcce-b302099a8057",
        "------------------------------------",
        "ééééééééé-éééé-ééé",
    ];
    for other in others {
        assert_eq!(other.parse::<DebateId>(), Err(NotAUuid), "{other:?}");
        assert_eq!(other.parse::<ArgumentId>(), Err(NotAUuid), "{other:?}");
    }
}

#[test]
fn page_size_is_0_to_500() {
    assert_eq!(Limit::new(0).map(Limit::count), Ok(0));
    assert_eq!(Limit::new(500).map(Limit::count), Ok(500));
    assert_eq!(Limit::new(501), Err(OutOfRange { least: 0, most: 500 }));
    assert_eq!(Limit::new(u32::MAX), Err(OutOfRange { least: 0, most: 500 }));
    assert_eq!(Limit::DEFAULT.count(), 50);
}

#[test]
fn positions_count_from_the_motion() {
    assert_eq!(Seq::START.next(), Seq::FIRST);
    assert_eq!(Seq::FIRST.number(), 1);
    assert_eq!(Seq::new(7).since(Seq::new(4)), 3);
    assert_eq!(Seq::new(4).since(Seq::new(7)), 0);
    assert_eq!(Seq::new(u32::MAX).next(), Seq::new(u32::MAX));
    assert_eq!(Seq::new(12).to_string(), "12");
}
