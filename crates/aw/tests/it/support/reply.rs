//! A complete response.

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::support::contract::{self, Answer};

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) async fn receive(request: reqwest::RequestBuilder) -> Self {
        Self::try_receive(request).await.expect("the server answers")
    }

    pub(crate) async fn try_receive(request: reqwest::RequestBuilder) -> reqwest::Result<Self> {
        let (client, request) = request.build_split();
        let request = request?;
        let (method, url) = (request.method().clone(), request.url().clone());
        let response = client.execute(request).await?;
        let is_redirected = *response.url() != url;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let reply = Self { status, headers, text: response.text().await? };
        if !is_redirected {
            contract::check(&Answer {
                method: method.as_str(),
                path: url.path(),
                status,
                content_type: reply.header("content-type").unwrap_or_default(),
                body: &reply.text,
            });
        }
        Ok(reply)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|err| panic!("not JSON ({err}): {} {}", self.status, self.text))
    }

    /// The `data` of a success.
    pub(crate) fn data(&self) -> Value {
        let body = self.json();
        assert_eq!(body["success"], true, "{}", self.text);
        body["data"].clone()
    }

    /// The `error` of a failure.
    pub(crate) fn error(&self) -> Value {
        let body = self.json();
        assert_eq!(body["success"], false, "{}", self.text);
        body["error"].clone()
    }

    pub(crate) fn code(&self) -> String {
        self.error()["code"].as_str().expect("a code is text").to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("headers are text"))
    }
}
