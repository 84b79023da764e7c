//! Equality of posts, as requests and as texts.

use debate_core::forum::guardrail::show_fields;
use debate_core::forum::{
    Approach, Content, Description, Domain, EvidenceLink, Links, PageLimit, PostDraft,
    ProblemDraft, Severity, SolutionDraft, Stance, Title,
};
use debate_core::{EvaluationId, PostId, ProblemId, RequestKey, SolutionId};
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
fn fingerprint_of_a_post_depends_on_every_client_field() {
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
fn duplicate_post_has_the_same_normalised_text_and_parent() {
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
fn guardrails_scan_links() {
    let draft = PostDraft { links: links(&["https://example.org/a"]), ..draft(SAYS) };
    assert_eq!(draft.evaluated_text(), [SAYS, "https://example.org/a"].join("\n\u{1e}"));
}

#[test]
fn guardrails_scan_every_text_of_a_problem_and_a_solution() {
    let (about, plan) = (SAYS.replace("deep", "dry"), SAYS.replace("deep", "new"));
    let title = Title::new("Water for all".to_owned()).expect("it is one");
    let description = Description::new(about.clone()).expect("it is one");
    let evaluation = EvaluationId::new(Uuid::from_u128(2));
    let problem = ProblemDraft {
        id: ProblemId::new(Uuid::from_u128(1)),
        evaluation,
        title: title.clone(),
        description: description.clone(),
        domain: None,
        severity: Severity::Low,
    };
    assert_eq!(show_fields(&problem.evaluated_text()), format!("Water for all\n{about}"));
    let domain = Some(Domain::new("Wells".to_owned()).expect("it is one"));
    let problem = ProblemDraft { domain, ..problem };
    assert_eq!(show_fields(&problem.evaluated_text()), format!("Water for all\n{about}\nWells"));
    let solution = SolutionDraft {
        id: SolutionId::new(Uuid::from_u128(3)),
        evaluation,
        problem: problem.id,
        title,
        description,
        approach: Approach::new(plan.clone()).expect("it is one"),
    };
    assert_eq!(show_fields(&solution.evaluated_text()), format!("Water for all\n{about}\n{plan}"));
}

#[test]
fn links_keep_their_order() {
    let texts = ["https://example.org/b", "https://example.org/a"];
    let links = links(&texts);
    assert_eq!((&links).into_iter().map(EvidenceLink::as_str).collect::<Vec<_>>(), texts);
}

#[test]
fn post_has_at_most_ten_links() {
    let link = EvidenceLink::new("https://example.org".to_owned()).expect("it is one");
    assert!(Links::new(vec![link.clone(); 10]).is_ok());
    assert!(Links::new(vec![link; 11]).is_err());
}

#[test]
fn enum_names_are_parsed_back() {
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
