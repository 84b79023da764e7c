//! Slugs of debates, and the first digits of ids.

use debate_core::DebateId;
use debate_core::arena::{IdPrefix, is_slug, slug_candidates};
use uuid::Uuid;

fn id(number: u128) -> DebateId {
    DebateId::new(Uuid::from_u128(number))
}

/// The words before the suffix.
fn words(title: &str) -> String {
    let slug = slug_candidates(title, id(1)).remove(0);
    let (words, _) = slug.rsplit_once('-').expect("a slug has a suffix");
    words.to_owned()
}

#[test]
fn words_are_the_lower_case_ascii_words_of_the_title() {
    for (title, expected) in [
        ("Cache the index", "cache-the-index"),
        ("  Cache,  the\tINDEX!  ", "cache-the-index"),
        ("v2: 3 steps", "v2-3-steps"),
        ("Über Größe", "ber-gr-e"),
        ("大きさ", "debate"),
        ("", "debate"),
        ("🦀 …", "debate"),
        ("--a--b--", "a-b"),
    ] {
        assert_eq!(words(title), expected, "{title:?}");
    }
}

#[test]
fn words_are_cut_at_the_end_of_a_word_before_32_characters() {
    // 32 characters exactly, then one more.
    assert_eq!(words("abcdefghij abcdefghij abcdefghij"), "abcdefghij-abcdefghij-abcdefghij");
    assert_eq!(words("abcdefghij abcdefghij abcdefghijk"), "abcdefghij-abcdefghij");
    // Words after one that is too long are left out too.
    assert_eq!(words("abcdefghij abcdefghij abcdefghijk l"), "abcdefghij-abcdefghij");
    // A first word that is too long is cut inside.
    assert_eq!(words(&"x".repeat(33)), "x".repeat(32));
    assert_eq!(words(&format!("{} y", "x".repeat(32))), "x".repeat(32));
}

/// The digests come from an independent SHA-256 implementation.
#[test]
fn suffix_is_the_base32_digest_of_the_id_in_growing_length() {
    const DIGEST: &str = "d4m6bjd3etgt";
    let slugs = slug_candidates("Cache the index", id(2));
    let expected: Vec<String> =
        (4..=12).map(|length| format!("cache-the-index-{}", &DIGEST[..length])).collect();
    assert_eq!(slugs, expected);
}

#[test]
fn suffix_is_extended_until_it_has_a_digit() {
    let slugs = slug_candidates("Cache the index", id(1));
    let lengths: Vec<_> = slugs.iter().map(|slug| slug.len() - "cache-the-index-".len()).collect();
    assert_eq!((slugs[0].as_str(), lengths), ("cache-the-index-fgyct4", (6..=12).collect()));
}

#[test]
fn last_character_becomes_a_digit_if_the_digest_has_none() {
    let slugs = slug_candidates("Cache the index", id(57));
    assert_eq!(slugs, ["cache-the-index-rerzaesqaqn0"]);
}

#[test]
fn every_candidate_is_a_slug_with_a_digit_in_its_suffix() {
    let mut shortest = 0;
    let mut without_digits = 0;
    for number in 0..20_000 {
        let slugs = slug_candidates("On the plan", id(number));
        assert!(!slugs.is_empty());
        for slug in &slugs {
            let (_, suffix) = slug.rsplit_once('-').expect("a slug has a suffix");
            assert!((4..=12).contains(&suffix.len()), "{slug}");
            assert!(suffix.bytes().any(|byte| byte.is_ascii_digit()), "{slug}");
            assert!(!suffix.contains(['i', 'l', 'o', 'u']), "{slug}");
            assert!(is_slug(slug), "{slug}");
        }
        shortest += u32::from(slugs.len() == 9);
        let all_letters = |slug: &String| {
            slug.ends_with('0') && !slug[..slug.len() - 1].bytes().any(|byte| byte.is_ascii_digit())
        };
        without_digits += u32::from(slugs.len() == 1 && all_letters(&slugs[0]));
    }
    // Both a suffix of 4 characters and one whose last character was made a digit occur.
    assert!(shortest > 10_000 && without_digits > 10, "{shortest} {without_digits}");
}

#[test]
fn slug_depends_on_title_and_id_only() {
    let slugs = slug_candidates("On the plan", id(7));
    assert_eq!(slug_candidates("on THE plan?", id(7)), slugs);
    assert_ne!(slug_candidates("On the plan", id(8)), slugs);
}

#[test]
fn text_without_the_form_of_a_slug_is_not_a_slug() {
    for text in ["cache-the-index-k3f7", "debate-0000", "a-1zzz", "1-2345", "a-0123456789ab"] {
        assert!(is_slug(text), "{text}");
    }
    let long = format!("{}-0123", "x".repeat(33));
    for text in [
        "not-a-uuid",
        "",
        "-",
        "0123",
        "-0123",
        "a--0123",
        "a-b--c-0123",
        "a-012",
        "a-0123456789abc",
        "a-abcd",
        "a-012i",
        "a-012l",
        "a-012o",
        "a-012u",
        "A-0123",
        "a-012Z",
        "a_b-0123",
        "é-0123",
        "a-0123 ",
        "01890a5d-ac96-774b-bcce-b302099a8057x",
        long.as_str(),
    ] {
        assert!(!is_slug(text), "{text:?}");
    }
    assert!(is_slug(&format!("{}-0123", "x".repeat(32))));
}

#[test]
fn id_prefix_is_the_range_of_ids_that_begin_with_the_text() {
    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
    let own: DebateId = ID.parse().expect("it is a UUID");
    for length in 4..=ID.len() {
        let prefix = IdPrefix::new(&ID[..length]).expect("it begins like a UUID");
        assert!(prefix.first <= own && own <= prefix.last, "{length}");
        let (first, last) = (prefix.first.to_string(), prefix.last.to_string());
        assert!(first.starts_with(&ID[..length]) && last.starts_with(&ID[..length]), "{length}");
        let rest = |text: &str, digit| text[length..].chars().all(|c| c == digit || c == '-');
        assert!(rest(&first, '0') && rest(&last, 'f'), "{length}");
    }
    let upper = IdPrefix::new("01890A5D").expect("the case does not matter");
    assert_eq!(Some(upper), IdPrefix::new("01890a5d"));
    let whole = IdPrefix::new(ID).expect("it is a UUID");
    assert_eq!((whole.first, whole.last), (own, own));
}

#[test]
fn other_text_is_not_an_id_prefix() {
    for text in [
        "",
        "018",
        "0189-",
        "01890a5dac96",
        "01890a5d-ac9-",
        "xyzw",
        "0189 ",
        " 0189",
        "{189",
        "018é",
        "01890a5d-ac96-774b-bcce-b302099a80570",
        "urn:",
    ] {
        assert_eq!(IdPrefix::new(text), None, "{text:?}");
    }
}
