//! Request bodies of the runner.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SettingsDraft;

/// Body of `POST /runner/debates`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerCreateDebate)]
pub struct CreateDebate {
    /// The question to debate, 1 to 2000 characters. Must not be blank.
    #[schema(min_length = 1, max_length = 2000)]
    pub topic: String,
    /// Settings of the run. The server's defaults apply to absent settings.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "object")]
    pub settings: Option<SettingsDraft>,
}

/// An object or null: serde would also read a list as the fields in order.
fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SettingsDraft>, D::Error> {
    deserializer.deserialize_any(ObjectOrNull)
}

struct ObjectOrNull;

impl<'de> Visitor<'de> for ObjectOrNull {
    type Value = Option<SettingsDraft>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or null")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        SettingsDraft::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}
