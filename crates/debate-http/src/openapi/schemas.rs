//! Shared schemas. An envelope describes its `data` by reference to the schema of its own name
//! instead of a copy, so that generated clients have one type for each.

use utoipa::openapi::schema::{ArrayItems, Schema};
use utoipa::openapi::{OpenApi, Ref, RefOr};

/// Separates the names of an envelope and of its content, as in `Success_Transcript`.
const OF: &str = "Success_";
const LIST_OF: &str = "Vec_";

const RESULT: &str = "The result of the operation.";
const PAGE: &str = "The items of this page, in the order of the list.";

pub(super) fn complete(document: &mut OpenApi) {
    let Some(components) = &mut document.components else { return };
    let names: Vec<_> = components.schemas.keys().cloned().collect();
    for envelope in &names {
        let Some((_, content)) = envelope.split_once(OF) else { continue };
        let item = content.strip_prefix(LIST_OF);
        let name = item.unwrap_or(content);
        if !components.schemas.contains_key(name) {
            continue;
        }
        let Some(RefOr::T(Schema::Object(envelope))) = components.schemas.get_mut(envelope) else {
            continue;
        };
        let mut reference = Ref::from_schema_name(name);
        match (item, envelope.properties.get_mut("data")) {
            (Some(_), Some(RefOr::T(Schema::Array(list)))) => {
                list.items = ArrayItems::RefOrSchema(Box::new(RefOr::Ref(reference)));
                list.description = Some(PAGE.to_owned());
            }
            (None, Some(data)) => {
                RESULT.clone_into(&mut reference.description);
                *data = RefOr::Ref(reference);
            }
            (Some(_), _) | (None, None) => {}
        }
    }
}
