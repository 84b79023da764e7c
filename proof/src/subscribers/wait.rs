//! The long poll: one response per request; the newest argument seen is the position.

use serde::Deserialize;

use super::{ConnectionEnd, Following};
use crate::client::Answer;
use crate::history::{Micros, ObservedEvent, Seq};
use crate::rules::State;
use crate::shared_state::Argument;

/// The server's default time limit of a wait.
const SERVER_WAIT_MICROS: Micros = 60_000_000;

#[derive(Deserialize)]
#[serde(untagged)]
enum WaitResponse {
    NewArguments {
        debate_state: State,
        argument: Box<Argument>,
        arguments: Vec<Argument>,
        arguments_omitted: u32,
    },
    Nothing {
        last_seen_seq: Seq,
    },
}

/// Repeats the wait as long as responses arrive.
pub(super) async fn listen(following: &mut Following) -> ConnectionEnd {
    loop {
        let since = following.shared.history.now();
        let position = following.position.id.map(|id| format!("&argument_id={id}"));
        let position = position.unwrap_or_default();
        let path = format!("/debates/{}/wait?role=opponent{position}", following.debate);
        let reply = match following.shared.api().get(&path).await {
            Answer::Answered(reply) => reply,
            Answer::NotSent => return ConnectionEnd::Broken("no server listens".to_owned()),
            Answer::Lost(_) => return ConnectionEnd::Broken("was cut off".to_owned()),
        };
        if following.shared.is_storage_refusal(reply.status.as_u16()) {
            return ConnectionEnd::Broken("was told that storage is away".to_owned());
        }
        if reply.status.as_u16() != 200 {
            return following.report_wrong(format!("was answered {}", reply.summary()));
        }
        match WaitResponse::deserialize(reply.data()) {
            Ok(WaitResponse::Nothing { last_seen_seq: after }) => {
                let timeout = SERVER_WAIT_MICROS;
                following.record(ObservedEvent::Nothing { after, since, timeout });
                following.shared.count("Wait was answered with nothing");
                if after != following.position.seq {
                    return following.report_wrong(format!("was taken to have seen {after}"));
                }
            }
            Ok(WaitResponse::NewArguments {
                debate_state,
                argument,
                arguments,
                arguments_omitted,
            }) => {
                if arguments.last().map(|last| last.id) != Some(argument.id) {
                    return following
                        .report_wrong("was given a newest argument that is not the last");
                }
                if arguments_omitted > 0
                    && let Some(end) = take_omitted(following, &arguments).await
                {
                    return end;
                }
                if let Some(end) = take(following, &arguments, debate_state) {
                    return end;
                }
            }
            Err(err) => return following.report_wrong(format!("could not read its answer: {err}")),
        }
    }
}

/// Reads the arguments that the response reports as omitted.
async fn take_omitted(following: &mut Following, shown: &[Argument]) -> Option<ConnectionEnd> {
    following.shared.count("Wait had to read up what was left out");
    let first = shown.first().map_or(0, |argument| argument.seq);
    let Ok(all) = following.shared.arguments(following.debate).await else {
        return Some(ConnectionEnd::Broken("was cut off while reading up".to_owned()));
    };
    let from = following.position.seq;
    for argument in all.iter().filter(|argument| (from + 1..first).contains(&argument.seq)) {
        following.receive(argument, None);
    }
    None
}

/// The state belongs to the newest argument.
fn take(following: &mut Following, arguments: &[Argument], state: State) -> Option<ConnectionEnd> {
    let newest = arguments.last().map(|last| last.seq);
    for argument in arguments {
        following.receive(argument, (Some(argument.seq) == newest).then_some(state));
    }
    (state == State::Closed).then_some(ConnectionEnd::Complete)
}
