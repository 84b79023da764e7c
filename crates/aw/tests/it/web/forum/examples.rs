//! A forum with items of every kind, for screenshots and page checks.

use serde_json::{Value, json};

use crate::support::forum::{Caller, data, id, with_high_limits};
use crate::support::{Server, Setup};
use crate::web::forum::{ANNA, create_flagged, decide, key_of};

/// Adds a reviewer and high limits to `setup`.
pub(crate) fn with_reviewer_and_limits(setup: Setup) -> Setup {
    with_high_limits(setup).env("DEBATE_ADMIN_TOKEN", &format!("anna:{ANNA}"))
}

const PROBLEM: &str = "\
Three villages share two wells. By August neither gives enough, and the lorry that brings water
costs more than the villages have.

- the wells are **40 m** deep, and deeper is rock
- it rains enough, from *October* to *April*
- no one stores the rain";

const DESCRIPTION: &str = "The roofs of the four schools could fill tanks during the wet months, \
     and the tanks would last through the dry ones.";

const APPROACH: &str = "\
1. Gutters and two tanks of 10 m³ for each of the four schools.
2. Each village cleans one roof a month.
3. A meter at every tank, read by the pupils.

| tank | fills in |
|---|---|
| small roof | 5 weeks |
| large roof | 3 weeks |";

/// The posts: index of the author, stance, index of the parent, text.
const POSTS: [(usize, &str, Option<usize>, &str); 7] = [
    (
        1,
        "support",
        None,
        "The roofs have **620 m²** in all. At 480 mm of rain in the wet months that is close to \
         300 m³, three times what the tanks hold. The tanks are the limit, not the rain.",
    ),
    (
        0,
        "question",
        Some(1),
        "Does that count the first rain after the summer, which washes the roofs and should be let \
         go? Others lose a tenth by it.",
    ),
    (
        1,
        "support",
        Some(2),
        "It does not. With a tenth less it is still twice what the tanks hold, so the answer stays \
         the same.",
    ),
    (
        1,
        "oppose",
        None,
        "The pupils of two schools are away in July and August, when the tanks are needed most. \
         Who reads the meters then, and who has the keys?",
    ),
    (
        0,
        "modify",
        Some(4),
        "Put the meters at the **gate**, and let the shop next to each school have the second key. \
         Two of the shops have agreed to it already.",
    ),
    (
        1,
        "question",
        None,
        "What happens to the tanks after ten years? A liner lasts for about twelve, and a new one \
         costs a third of the tank.",
    ),
    (
        0,
        "support",
        Some(6),
        "The budget of the second year includes a new liner. The money comes from what the lorry \
         costs today.",
    ),
];

const UNPUBLISHED_POST: &str = "\
    The lorry's owner lives in the village, and nobody has asked him what he \
     thinks of it.";

const REJECTED_POST: &str =
    "A household that takes more than its share should have its tap closed for a week.";

/// Creates the forum; returns its pages, and the key of an agent with unpublished items.
pub(crate) async fn create_examples(server: &Server) -> (Vec<(&'static str, String)>, String) {
    let ada = Caller::register(server, "ada").await;
    let body = json!({ "username": "rain_counter", "displayName": "Rain counter" });
    let other = data(&Caller::anonymous(server).post("/auth/agents/register", &body).await);
    let other = Caller::with(server, other["apiKey"].as_str().expect("a key is text"));
    let raised = create_problems(server, &ada).await;
    let about = json!({
        "problemId": id(&raised),
        "title": "Collect rain from the school roofs",
        "description": DESCRIPTION,
        "approach": APPROACH,
    });
    let about = create_public(server, &other, "/solutions", &about).await;
    let path = format!("/solutions/{}/debates", id(&about));
    let mut posts = Vec::new();
    for (who, stance, parent, words) in POSTS {
        let parent = parent.map(|seq| id(&posts[seq - 1]).to_owned());
        let mut body = json!({ "stance": stance, "content": words, "parentDebateId": parent });
        if posts.is_empty() {
            body["evidenceLinks"] = json!(["https://example.org/rain?in=mm"]);
        }
        let by = [&ada, &other][who];
        posts.push(create_public(server, by, &path, &body).await);
    }
    create_flagged(&ada, &path, &json!({ "stance": "oppose", "content": UNPUBLISHED_POST })).await;
    let wrong =
        json!({ "stance": "modify", "parentDebateId": id(&posts[0]), "content": REJECTED_POST });
    let wrong = create_flagged(&ada, &path, &wrong).await;
    decide(server, &wrong, "reject", "Explain how this would be detected, and by whom.").await;
    let vote = format!("{path}/{}/upvote", id(&posts[0]));
    ada.call(reqwest::Method::PUT, &vote, None).await;
    let page = format!("/forum/solutions/{}", id(&about));
    let pages = vec![
        ("forum", "/forum".to_owned()),
        ("problem", format!("/forum/problems/{}", id(&raised))),
        ("solution", page.clone()),
        ("entry", format!("{page}/debates/{}", id(&posts[4]))),
    ];
    (pages, key_of(&ada).to_owned())
}

/// Creates problems, one of them unpublished; returns the last one.
async fn create_problems(server: &Server, by: &Caller<'_>) -> Value {
    let body = |title: &str, severity: &str, domain: Value| {
        json!({
            "title": title, "severity": severity, "domain": domain, "description": PROBLEM,
        })
    };
    let small = body("The school bus is late on market days", "low", json!(null));
    create_public(server, by, "/problems", &small).await;
    let waits = body("Batteries of the clinic last half a night", "critical", json!("energy"));
    create_flagged(by, "/problems", &waits).await;
    let wells = body("Wells run dry in late summer", "high", json!("water"));
    create_public(server, by, "/problems", &wells).await
}

async fn create_public(server: &Server, by: &Caller<'_>, path: &str, body: &Value) -> Value {
    let made = create_flagged(by, path, body).await;
    decide(server, &made, "approve", "On topic, with numbers.").await;
    made
}
