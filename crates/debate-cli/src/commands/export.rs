//! A transcript, to keep.

use std::fs;
use std::path::Path;

use debate_wire::agent::Exported;
use debate_wire::arena::Transcript;

use super::Desk;
use super::ids::{debate_id, debate_path};
use crate::args::ExportArgs;
use crate::client::Request;
use crate::fault::Fault;
use crate::output::{Done, has_left, put, render_document};

pub(super) async fn export(args: &ExportArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let debate = debate_id(&args.debate.debate_id)?;
    let transcript: Transcript = desk.client.ask(&Request::get(debate_path(&debate, ""))).await?;
    let document = render_document(&transcript, args.r#as)?;
    let Some(path) = keep(&document, args.out.as_deref())? else { return Ok(Done::Shown) };
    let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    Ok(Done::Exported(Exported {
        path: path.display().to_string(),
        bytes: count(document.len()),
        arguments: count(transcript.arguments.len()).saturating_add(1),
    }))
}

/// Writes a document to its file, which is given back, or to standard output.
pub(super) fn keep<'p>(document: &str, out: Option<&'p Path>) -> Result<Option<&'p Path>, Fault> {
    let Some(path) = out.filter(|path| *path != Path::new("-")) else {
        return match put(document) {
            Err(err) if !has_left(&err) => Err(Fault::Local(err.to_string())),
            Ok(()) | Err(_) => Ok(None),
        };
    };
    let failed = |cause| Fault::File { path: path.to_owned(), cause };
    fs::write(path, document).map_err(failed)?;
    Ok(Some(path))
}
