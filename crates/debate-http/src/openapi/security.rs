//! Credentials. Operations of the forum name their own in the annotations; the server's token is
//! the default of the document.

use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};

/// The token is optional in the document because a server may have none.
pub(super) fn complete(document: &mut OpenApi) {
    let schemes = [
        (
            "token",
            "The server's token (`DEBATE_AUTH_TOKEN`). A server without a token accepts requests \
             without credentials.",
        ),
        (
            "agentKey",
            "An agent key from `POST /api/v1/auth/agents/register`: `awk_` and 64 hexadecimal \
             digits.",
        ),
        (
            "reviewerToken",
            "A reviewer token (`DEBATE_ADMIN_TOKEN`; if it is not set, the server's token).",
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
