//! The long poll: one response per request; the newest argument seen is the position.

use serde::Deserialize;

use super::{Following, Parted};
use crate::client::Answer;
use crate::fold::State;
use crate::ground::Argument;
use crate::history::{Micros, Saw, Seq};

/// The server's default time limit of a wait (arena.md, 3).
const SERVER_PATIENCE: Micros = 60_000_000;

#[derive(Deserialize)]
#[serde(untagged)]
enum Heard {
    News {
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
pub(super) async fn listen(following: &mut Following) -> Parted {
    loop {
        let since = following.ground.history.now();
        let position = following.place.id.map(|id| format!("&argument_id={id}"));
        let position = position.unwrap_or_default();
        let path = format!("/debates/{}/wait?role=opponent{position}", following.debate);
        let reply = match following.ground.api().get(&path).await {
            Answer::Told(reply) => reply,
            Answer::NotSent => return Parted::Gone("nobody listens".to_owned()),
            Answer::Lost(_) => return Parted::Gone("was cut off".to_owned()),
        };
        if following.ground.is_away(reply.status.as_u16()) {
            return Parted::Gone("was told that storage is away".to_owned());
        }
        if reply.status.as_u16() != 200 {
            return following.wrong(format!("was answered {}", reply.summary()));
        }
        match Heard::deserialize(reply.data()) {
            Ok(Heard::Nothing { last_seen_seq: after }) => {
                let patience = SERVER_PATIENCE;
                following.note(Saw::Nothing { after, since, patience });
                following.ground.count("Wait was answered with nothing");
                if after != following.place.seq {
                    return following.wrong(format!("was taken to have seen {after}"));
                }
            }
            Ok(Heard::News { debate_state, argument, arguments, arguments_omitted }) => {
                if arguments.last().map(|last| last.id) != Some(argument.id) {
                    return following.wrong("was given a newest argument that is not the last");
                }
                if arguments_omitted > 0
                    && let Some(parted) = take_omitted(following, &arguments).await
                {
                    return parted;
                }
                if let Some(parted) = take(following, &arguments, debate_state) {
                    return parted;
                }
            }
            Err(err) => return following.wrong(format!("could not read its answer: {err}")),
        }
    }
}

/// Reads the arguments that the response reports as omitted.
async fn take_omitted(following: &mut Following, shown: &[Argument]) -> Option<Parted> {
    following.ground.count("Wait had to read up what was left out");
    let first = shown.first().map_or(0, |argument| argument.seq);
    let Ok(all) = following.ground.arguments(following.debate).await else {
        return Some(Parted::Gone("was cut off while reading up".to_owned()));
    };
    let from = following.place.seq;
    for argument in all.iter().filter(|argument| (from + 1..first).contains(&argument.seq)) {
        following.saw(argument, None);
    }
    None
}

/// The state belongs to the newest argument.
fn take(following: &mut Following, arguments: &[Argument], state: State) -> Option<Parted> {
    let newest = arguments.last().map(|last| last.seq);
    for argument in arguments {
        following.saw(argument, (Some(argument.seq) == newest).then_some(state));
    }
    (state == State::Closed).then_some(Parted::Over)
}
