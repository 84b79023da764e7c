//! The document describes every operation, parameter, response, header, schema and field, and each
//! description says more than the name.

use std::collections::BTreeSet;

use serde_json::Value;

/// Words that add nothing to a description.
const FILLERS: [&str; 22] = [
    "a", "an", "and", "are", "as", "be", "by", "for", "in", "is", "it", "its", "of", "on", "one",
    "or", "that", "the", "this", "to", "which", "with",
];

const WORD_COUNT_MIN: usize = 3;

#[test]
fn every_part_of_the_document_has_a_description_that_says_more_than_its_name() {
    let document = serde_json::to_value(crate::contract()).expect("the document is JSON");
    let mut review = ContractCheck { document: &document, checked: 0, faults: Vec::new() };
    review.operations();
    review.schemas();
    assert!(review.faults.is_empty(), "{}", review.faults.join("\n"));
    assert!(review.checked > 500, "only {} descriptions were found", review.checked);
}

#[test]
fn missing_short_and_repeating_descriptions_are_faults() {
    let good = [
        ("Debate.id", "UUID of the debate."),
        ("parentDebateId", "UUID of the post that this one answers."),
        ("max_rounds", "Maximum number of rounds, 1 to 100."),
    ];
    for (name, description) in good {
        assert_eq!(find_fault(name, description), None, "{name}: {description}");
    }
    let bad = [
        ("Debate.id", "", "is missing"),
        ("Debate.id", "Which one.", "has fewer than 3 words"),
        ("Debate.id", "The id of the debate.", "only repeats the name"),
        ("parentDebateId", "The parent debate's id.", "only repeats the name"),
        ("max_rounds", "The max rounds.", "only repeats the name"),
        ("available_actions", "The actions that are available.", "only repeats the name"),
    ];
    for (name, description, fault) in bad {
        assert_eq!(find_fault(name, description), Some(fault), "{name}: {description}");
    }
}

struct ContractCheck<'d> {
    document: &'d Value,
    checked: usize,
    faults: Vec<String>,
}

impl ContractCheck<'_> {
    /// `location` is the position of the description; `name` is the name that it must not repeat.
    fn check(&mut self, location: &str, name: &str, description: &Value) {
        self.checked += 1;
        let description = description.as_str().unwrap_or_default();
        if let Some(fault) = find_fault(name, description) {
            self.faults.push(format!("{location}: the description {fault}: {description:?}"));
        }
    }

    fn operations(&mut self) {
        let document = self.document;
        self.check("info", "aweave", &document["info"]["description"]);
        for tag in items(&document["tags"]) {
            let name = tag["name"].as_str().unwrap_or_default();
            self.check(&format!("tag {name}"), name, &tag["description"]);
        }
        for (path, item) in members(&document["paths"]) {
            for (method, operation) in members(item) {
                self.operation(&format!("{method} {path}"), operation);
            }
        }
        for (name, scheme) in members(&document["components"]["securitySchemes"]) {
            self.check(&format!("security scheme {name}"), name, &scheme["description"]);
        }
    }

    fn operation(&mut self, location: &str, operation: &Value) {
        let id = operation["operationId"].as_str().unwrap_or_default();
        self.check(&format!("{location}: summary"), id, &operation["summary"]);
        if operation.get("description").is_some() {
            self.check(location, id, &operation["description"]);
        }
        for parameter in items(&operation["parameters"]) {
            let name = parameter["name"].as_str().unwrap_or_default();
            self.check(&format!("{location}: {name}"), name, &parameter["description"]);
        }
        for (status, response) in members(&operation["responses"]) {
            self.check(&format!("{location}: {status}"), status, &response["description"]);
            for (name, header) in members(&response["headers"]) {
                self.check(&format!("{location}: {status} {name}"), name, &header["description"]);
            }
        }
    }

    fn schemas(&mut self) {
        for (name, schema) in members(&self.document["components"]["schemas"]) {
            self.check(&format!("schema {name}"), name, &schema["description"]);
            self.fields(name, schema);
        }
    }

    /// The fields of an object, of the items of an array and of every alternative of a union.
    fn fields(&mut self, schema_name: &str, schema: &Value) {
        for (name, field) in members(&schema["properties"]) {
            // The tag of an alternative has one value, which names it.
            if !items(&field["enum"]).is_empty() {
                continue;
            }
            let location = format!("{schema_name}.{name}");
            self.check(&location, &location, describe(field));
            self.fields(&location, field);
        }
        let parts = items(&schema["oneOf"]).iter().chain(items(&schema["allOf"]));
        for part in parts.chain(schema.get("items")) {
            self.fields(schema_name, part);
        }
    }
}

/// The description of a field. A field that can be null has it in the alternative that is not.
fn describe(field: &Value) -> &Value {
    let alternatives = items(&field["oneOf"]).iter().map(|shape| &shape["description"]);
    let mut found = [&field["description"]].into_iter().chain(alternatives);
    found.find(|description| description.is_string()).unwrap_or(&Value::Null)
}

fn find_fault(name: &str, description: &str) -> Option<&'static str> {
    let words = split_camel_case(description);
    if words.is_empty() {
        return Some("is missing");
    }
    if words.len() < WORD_COUNT_MIN {
        return Some("has fewer than 3 words");
    }
    let known: BTreeSet<_> = split_camel_case(name).into_iter().collect();
    let says_more =
        words.iter().any(|word| !known.contains(word) && !FILLERS.contains(&word.as_str()));
    (!says_more).then_some("only repeats the name")
}

/// Words in lower case without plural or possessive endings. Names are split at `_`, `.` and
/// capitals.
fn split_camel_case(text: &str) -> Vec<String> {
    let text = text.replace("'s ", " ");
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        after_lower = c.is_lowercase();
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    let singular = |word: String| match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 => stem.to_owned(),
        Some(_) | None => word,
    };
    words.into_iter().filter(|word| !word.is_empty()).map(singular).collect()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
