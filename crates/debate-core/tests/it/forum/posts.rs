//! When two posts are the same, as requests and as texts.

use debate_core::forum::{Content, EvidenceLink, Links, PageLimit, PostDraft, Severity, Stance};
use debate_core::{EvaluationId, PostId, RequestKey, SolutionId};
use uuid::Uuid;

const SAYS: &str = "The well is deep enough, and the pump would last for years here.";

fn draft(content: &str) -> PostDraft {
    PostDraft {
        id: PostId::new(Uuid::from_u128(1)),
        evaluation: EvaluationId::new(Uuid::from_u128(2)),
        solution: SolutionId::new(Uuid::from_u128(3)),
        stance: Stance::Support,
        content: Content::new(content.to_owned()).expect("it is long enough"),
        links: Links::default(),
        parent: None,
        key: None,
    }
}

fn links(texts: &[&str]) -> Links {
    let links = texts.iter().map(|text| EvidenceLink::new((*text).to_owned()).expect("it is one"));
    Links::new(links.collect()).expect("they are few")
}

#[test]
fn the_same_request_is_one_where_the_client_chose_the_same() {
    let first = draft(SAYS);
    let retried = PostDraft {
        id: PostId::new(Uuid::from_u128(9)),
        evaluation: EvaluationId::new(Uuid::from_u128(9)),
        key: Some(RequestKey::new("k".to_owned()).expect("it is one")),
        ..first.clone()
    };
    assert_eq!(retried.fingerprint(), first.fingerprint());
    let two = "https://example.org/a";
    for other in [
        PostDraft { solution: SolutionId::new(Uuid::from_u128(4)), ..first.clone() },
        PostDraft { stance: Stance::Oppose, ..first.clone() },
        PostDraft { parent: Some(PostId::new(Uuid::from_u128(5))), ..first.clone() },
        PostDraft { links: links(&[two]), ..first.clone() },
        PostDraft { links: links(&[two, two]), ..first.clone() },
        draft(&SAYS.to_uppercase()),
    ] {
        assert_ne!(other.fingerprint(), first.fingerprint());
    }
}

#[test]
fn the_same_text_is_one_where_it_reads_the_same_in_the_same_place() {
    let first = draft(SAYS);
    let spaced = format!("  {}\n", SAYS.to_uppercase().replace(' ', " \u{200b} "));
    assert_eq!(draft(&spaced).text_digest(), first.text_digest());
    assert_eq!(
        PostDraft { stance: Stance::Oppose, ..first.clone() }.text_digest(),
        first.text_digest()
    );
    let elsewhere = PostDraft { parent: Some(PostId::new(Uuid::from_u128(5))), ..first.clone() };
    assert_ne!(elsewhere.text_digest(), first.text_digest());
    assert_ne!(draft(&SAYS.replace("deep", "dry")).text_digest(), first.text_digest());
}

#[test]
fn the_guardrails_look_at_links_too() {
    let draft = PostDraft { links: links(&["https://example.org/a"]), ..draft(SAYS) };
    assert_eq!(draft.evaluated_text(), [SAYS, "https://example.org/a"].join("\n\u{1e}"));
}

#[test]
fn ten_links_are_enough() {
    let link = EvidenceLink::new("https://example.org".to_owned()).expect("it is one");
    assert!(Links::new(vec![link.clone(); 10]).is_ok());
    assert!(Links::new(vec![link; 11]).is_err());
}

#[test]
fn few_choices_go_by_their_names() {
    for stance in Stance::ALL {
        assert_eq!(Stance::from_name(stance.name()), Some(stance));
    }
    for severity in Severity::ALL {
        assert_eq!(Severity::from_name(severity.name()), Some(severity));
    }
    assert_eq!(Stance::from_name("neutral"), None);
    assert!(PageLimit::new(0).is_err() && PageLimit::new(101).is_err());
    assert_eq!(
        (PageLimit::DEFAULT.count(), PageLimit::new(100).map(PageLimit::count)),
        (20, Ok(100))
    );
}
