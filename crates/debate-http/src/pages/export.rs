//! The formats of an export and their response headers.

use std::fmt::Display;

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};

/// The format of an exported transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExportFormat {
    Markdown,
    Html,
}

impl ExportFormat {
    /// The headers of a download. The file name contains no text of participants.
    pub(super) fn headers(self, kind: &str, id: impl Display) -> [(HeaderName, HeaderValue); 2] {
        let (extension, content_type) = match self {
            Self::Markdown => ("md", "text/markdown; charset=utf-8"),
            Self::Html => ("html", "text/html; charset=utf-8"),
        };
        let [disposition] = attachment(kind, id, extension);
        [disposition, (CONTENT_TYPE, HeaderValue::from_static(content_type))]
    }
}

/// The header that makes a browser save the response as a file.
pub(super) fn attachment(
    kind: &str,
    id: impl Display,
    extension: &str,
) -> [(HeaderName, HeaderValue); 1] {
    let text = format!("attachment; filename=\"{kind}-{id}.{extension}\"");
    [(CONTENT_DISPOSITION, HeaderValue::try_from(text).expect("an id is letters and digits"))]
}
