//! Parts of schemas that attributes cannot express.

use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

/// A boolean that is `true` in every answer of its shape, so that a union of shapes narrows.
pub(crate) fn always_true() -> Object {
    constant(true)
}

/// A boolean that is `false` in every answer of its shape.
pub(crate) fn always_false() -> Object {
    constant(false)
}

fn constant(value: bool) -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::Boolean))
        .description(Some(format!("Always {value}.")))
        .extensions(Some(Extensions::from_iter([("const", value)])))
        .build()
}
