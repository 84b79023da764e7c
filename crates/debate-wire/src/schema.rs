//! Schemas that attributes cannot express.

use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

/// A boolean that is always `true`, so that clients can tell the shapes of a union apart.
pub(crate) fn always_true() -> Object {
    constant(true)
}

/// A boolean that is always `false`.
pub(crate) fn always_false() -> Object {
    constant(false)
}

fn constant(value: bool) -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::Boolean))
        .description(Some(format!("Always {value} in this kind of response.")))
        .extensions(Some(Extensions::from_iter([("const", value)])))
        .build()
}
