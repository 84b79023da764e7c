//! The debate that a command line names: a slug, a UUID, a unique beginning of a UUID, or the id
//! that it had in the server it was migrated from.

use debate_core::{DebateId, Reference};
use debate_wire::arena::{Debate, DebateList, ListQuery, Transcript};
use debate_wire::{ErrorBody, ErrorCode};

use super::{debate_path, parse_reference};
use crate::client::ApiRequest;
use crate::commands::{CommandContext, with_query};
use crate::failure::Failure;

/// The lengths of the beginning of a UUID that can name a debate.
const PREFIX_CHARS: std::ops::Range<usize> = 4..36;

/// The most debates that an ambiguous beginning lists.
const NAMED_MAX: u32 = 10;

/// The debate that a text names. Only a text that can be the beginning of a UUID needs a request:
/// the server itself finds the others.
pub(super) async fn find_debate(
    text: &str,
    context: &CommandContext<'_>,
) -> Result<Reference<DebateId>, Failure> {
    let reference = parse_reference("--debate-id", text)?;
    if matches!(reference, Reference::Id(_)) || !is_prefix(text.trim()) {
        return Ok(reference);
    }
    // Slugs and original ids come first.
    let request = ApiRequest::get(debate_path(&reference, "?limit=0"));
    match context.client.request::<Transcript>(&request).await {
        Ok(found) => return parse_reference("--debate-id", &found.debate.id),
        Err(failure) if is_unknown(&failure) => {}
        Err(failure) => return Err(failure),
    }
    let query = ListQuery {
        id_prefix: Some(text.trim().to_ascii_lowercase()),
        limit: Some(NAMED_MAX.to_string()),
        ..ListQuery::default()
    };
    let request = ApiRequest::get(with_query("/debates", &query)?);
    let list: DebateList = context.client.request(&request).await?;
    match list.debates.as_slice() {
        [] => Err(none_matches(text)),
        [debate] => parse_reference("--debate-id", &debate.id),
        several => Err(several_match(text, several, list.total)),
    }
}

/// The debate itself, without its arguments.
pub(super) async fn load_debate(
    debate: &Reference<DebateId>,
    context: &CommandContext<'_>,
) -> Result<Debate, Failure> {
    let request = ApiRequest::get(debate_path(debate, "?limit=0"));
    let transcript: Transcript = context.client.request(&request).await?;
    Ok(transcript.debate)
}

/// Whether a text can be the beginning of a UUID.
fn is_prefix(text: &str) -> bool {
    let fits = |(index, byte): (usize, u8)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    PREFIX_CHARS.contains(&text.len()) && text.bytes().enumerate().all(fits)
}

fn is_unknown(failure: &Failure) -> bool {
    failure.has_code(ErrorCode::DebateNotFound) || failure.has_code(ErrorCode::InvalidInput)
}

fn none_matches(text: &str) -> Failure {
    let message = format!("no debate has the slug or an ID that begins with {text}");
    let error = ErrorBody::new(ErrorCode::DebateNotFound, message);
    Failure::from_server(serde_json::to_value(error).unwrap_or_default())
}

fn several_match(text: &str, debates: &[Debate], total: u64) -> Failure {
    let mut names: Vec<_> = debates.iter().map(|debate| debate.slug.clone()).collect();
    let more = total.saturating_sub(u64::try_from(names.len()).unwrap_or(u64::MAX));
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let message =
        format!("{total} debates have an ID that begins with {text}: {}", { names.join(", ") });
    Failure::input(message, "pass a slug, or more characters of the ID")
}

#[cfg(test)]
mod tests {
    use super::is_prefix;

    #[test]
    fn beginning_of_a_uuid_has_four_to_35_characters_and_hyphens_in_place() {
        for text in ["019a", "019A0000", "019a0000-", "019a0000-0000-7000-8000-00000000abc"] {
            assert!(is_prefix(text), "{text}");
        }
        for text in [
            "",
            "019",
            "019g",
            "019a-0000",
            "cache-the-index-k3f7",
            "019a0000-0000-7000-8000-00000000abcd",
        ] {
            assert!(!is_prefix(text), "{text}");
        }
    }
}
