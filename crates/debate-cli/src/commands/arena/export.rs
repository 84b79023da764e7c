//! Exports a debate's transcript.

use debate_wire::agent::Exported;
use debate_wire::arena::Transcript;

use super::ids::{debate_id, debate_path};
use crate::args::ExportArgs;
use crate::client::ApiRequest;
use crate::commands::{CommandContext, write_document};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput, render_debate};

pub(super) async fn export(
    args: &ExportArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = debate_id(&args.debate.debate_id)?;
    let request = ApiRequest::get(debate_path(&debate, ""));
    let transcript: Transcript = context.client.request(&request).await?;
    let document = render_debate(&transcript, args.r#as);
    let Some(path) = write_document(&document, args.out.as_deref())? else {
        return Ok(CommandOutput::Printed);
    };
    let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    let exported = Exported {
        path: path.display().to_string(),
        bytes: count(document.len()),
        arguments: count(transcript.arguments.len()).saturating_add(1),
    };
    Ok(ArenaOutput::Exported(exported).into())
}
