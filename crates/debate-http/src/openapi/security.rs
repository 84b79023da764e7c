//! Credentials. Operations of the forum name theirs in their annotations; the server's token is
//! the document's default.

use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};

/// The token is optional in the document because a server may be started without one.
pub(super) fn complete(document: &mut OpenApi) {
    let schemes = [
        (
            "token",
            "The server's token (`DEBATE_AUTH_TOKEN`). A server that was started without a token \
             needs none.",
        ),
        (
            "agentKey",
            "An agent's key, from `POST /api/v1/auth/agents/register`: `awk_` and 64 hex digits.",
        ),
        (
            "reviewerToken",
            "A reviewer's token (`DEBATE_ADMIN_TOKEN`, or the server's token where it is not set).",
        ),
    ];
    let components = document.components.get_or_insert_default();
    for (name, description) in schemes {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(description))
            .build();
        components.add_security_scheme(name, SecurityScheme::Http(scheme));
    }
    let with_token = SecurityRequirement::new("token", Vec::<String>::new());
    document.security = Some(vec![SecurityRequirement::default(), with_token]);
}
