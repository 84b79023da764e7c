//! Optional parameters and bodies.

use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{Components, OpenApi, RefOr, Required};

use super::operations;

/// An absent body counts as `{}`, and an empty query value as an absent one.
pub(super) fn complete(document: &mut OpenApi) {
    let components = document.components.clone().unwrap_or_default();
    for (_, _, operation) in operations(document) {
        for parameter in parameters(operation) {
            if parameter.parameter_in == ParameterIn::Query {
                allow_empty(parameter);
            }
        }
        if let Some(RefOr::T(body)) = &mut operation.request_body
            && has_no_required_member(body, &components)
        {
            body.required = Some(Required::False);
        }
    }
}

fn parameters(operation: &mut Operation) -> impl Iterator<Item = &mut Parameter> {
    operation.parameters.iter_mut().flatten().filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    })
}

/// Absent and empty are the same for a parameter that may be absent.
fn allow_empty(parameter: &mut Parameter) {
    if parameter.required == Required::False {
        let empty = Extensions::from_iter([("allowEmptyValue", true)]);
        parameter.extensions.get_or_insert_default().merge(empty);
    }
}

fn has_no_required_member(body: &RequestBody, components: &Components) -> bool {
    body.content.values().any(|content| match content {
        RefOr::T(content) => content.schema.as_ref().is_some_and(|schema| match schema {
            RefOr::T(schema) => is_all_optional(schema),
            RefOr::Ref(to) => find(&to.ref_location, components).is_some_and(is_all_optional),
        }),
        RefOr::Ref(_) => false,
    })
}

fn find<'c>(reference: &str, components: &'c Components) -> Option<&'c Schema> {
    match components.schemas.get(reference.rsplit('/').next()?)? {
        RefOr::T(schema) => Some(schema),
        RefOr::Ref(_) => None,
    }
}

fn is_all_optional(schema: &Schema) -> bool {
    matches!(schema, Schema::Object(object) if object.required.is_empty())
}
