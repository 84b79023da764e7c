//! The API reference: the OpenAPI document as a page.

#![expect(clippy::indexing_slicing, reason = "a JSON value indexed by a missing key is null")]

use askama::Template;
use serde_json::Value;

use crate::frame::PageRequest;

/// The stylesheet of the API reference.
pub const STYLESHEET: &str = include_str!("../assets/api_reference.css");

/// The page of an OpenAPI document.
#[must_use]
pub fn api_reference(contract: &Value, base_path: &str) -> String {
    let request = PageRequest { base_path: base_path.to_owned(), ..PageRequest::default() };
    request.render(&ApiReferencePage::new(contract))
}

#[derive(Template)]
#[template(path = "api_reference.html")]
struct ApiReferencePage {
    version: String,
    sections: Vec<ReferenceSection>,
    errors: Vec<Field>,
}

struct ReferenceSection {
    name: String,
    description: String,
    operations: Vec<Operation>,
}

struct Operation {
    anchor: String,
    method: String,
    path: String,
    summary: String,
    description: String,
    parameters: Vec<Field>,
    body: Vec<Field>,
    responses: Vec<ResponseView>,
}

struct ResponseView {
    status: String,
    description: String,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    kind: String,
    required: bool,
    description: String,
}

impl ApiReferencePage {
    fn new(contract: &Value) -> Self {
        let reader = ContractReader { contract };
        let tags = list(contract, "/tags");
        Self {
            version: text(contract, "/info/version"),
            sections: tags.iter().map(|tag| reader.section(tag)).collect(),
            errors: reader.fields(&contract["components"]["schemas"]["ErrorBody"]),
        }
    }
}

struct ContractReader<'c> {
    contract: &'c Value,
}

impl ContractReader<'_> {
    fn section(&self, tag: &Value) -> ReferenceSection {
        let name = text(tag, "/name");
        let mut operations = Vec::new();
        for (path, item) in object(&self.contract["paths"]) {
            for (method, operation) in object(item) {
                if operation["tags"][0] == name.as_str() {
                    operations.push(self.operation(method, path, operation));
                }
            }
        }
        ReferenceSection { description: text(tag, "/description"), name, operations }
    }

    fn operation(&self, method: &str, path: &str, operation: &Value) -> Operation {
        let responses = object(&operation["responses"]).map(|(status, response)| ResponseView {
            status: status.clone(),
            description: description(response),
            fields: self
                .response_fields(status, &response["content"]["application/json"]["schema"]),
        });
        Operation {
            anchor: text(operation, "/operationId"),
            method: method.to_uppercase(),
            path: path.to_owned(),
            summary: text(operation, "/summary"),
            description: description(operation),
            parameters: list(operation, "/parameters").iter().map(|p| self.parameter(p)).collect(),
            body: self.fields(&operation["requestBody"]["content"]["application/json"]["schema"]),
            responses: responses.collect(),
        }
    }

    fn parameter(&self, parameter: &Value) -> Field {
        Field {
            name: text(parameter, "/name"),
            kind: format!("{} {}", text(parameter, "/in"), self.kind(&parameter["schema"])),
            required: parameter["required"] == true,
            description: description(parameter),
        }
    }

    /// The fields of a successful body without its envelope. The page describes errors once.
    fn response_fields(&self, status: &str, schema: &Value) -> Vec<Field> {
        if !status.starts_with('2') {
            return Vec::new();
        }
        let whole = self.resolve(schema);
        let data = [&whole["properties"]["data"], &whole["items"]];
        let data = data.into_iter().find(|data| !data.is_null()).unwrap_or(whole);
        let data = self.resolve(data);
        match data["oneOf"].as_array() {
            Some(shapes) => shapes.iter().flat_map(|shape| self.fields(shape)).collect(),
            None => self.fields(data),
        }
    }

    fn fields(&self, schema: &Value) -> Vec<Field> {
        let schema = self.resolve(schema);
        let schema = match schema["oneOf"].as_array().and_then(|shapes| shapes.last()) {
            Some(shape) => self.resolve(shape),
            None => schema,
        };
        let required = list(schema, "/required");
        object(&schema["properties"])
            .map(|(name, property)| Field {
                name: name.clone(),
                kind: self.kind(property),
                required: required.iter().any(|field| field == name),
                description: description(property),
            })
            .collect()
    }

    fn kind(&self, schema: &Value) -> String {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            return match self.resolve(schema)["enum"].as_array() {
                Some(values) => {
                    values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | ")
                }
                None => name.to_owned(),
            };
        }
        let base = match &schema["type"] {
            Value::String(kind) if kind == "array" => {
                format!("list of {}", self.kind(&schema["items"]))
            }
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => {
                let kinds = kinds.iter().filter_map(Value::as_str).map(|kind| match kind {
                    "array" => format!("list of {}", self.kind(&schema["items"])),
                    other => other.to_owned(),
                });
                kinds.collect::<Vec<_>>().join(" | ")
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                let shapes = list(schema, "/oneOf");
                shapes.iter().map(|shape| self.kind(shape)).collect::<Vec<_>>().join(" | ")
            }
        };
        match schema["format"].as_str() {
            Some("uuid") => base.replace("string", "UUID"),
            Some(_) | None => base,
        }
    }

    fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let pointer = schema["$ref"].as_str().and_then(|path| path.strip_prefix('#'));
        pointer.and_then(|pointer| self.contract.pointer(pointer)).unwrap_or(schema)
    }
}

/// The description of a property; one that may be null has it in the shape that is not null.
fn description(property: &Value) -> String {
    let shapes = list(property, "/oneOf").iter().chain([property]);
    let found = shapes.map(|shape| text(shape, "/description")).find(|text| !text.is_empty());
    found.unwrap_or_default().replace('`', "")
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
