//! A client's frame, parsed.

use debate_app::arena::Arena;
use debate_core::arena::Draft;
use debate_core::{DebateId, Reference};
use debate_wire::arena as wire;

use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid};
use crate::extract::{Parse, from_json};

const INTERVENTION: &str = "submit_intervention";
const RULING: &str = "submit_ruling";

/// The event of a frame and the request in it.
pub(super) async fn parse_frame(
    text: &str,
    own: DebateId,
    arena: &Arena,
    settings: &Settings,
) -> Result<(&'static str, Draft), ErrorResponse> {
    let frame: wire::ClientFrame<'_> = serde_json::from_str(text).map_err(|_| Invalid {
        field: "frame".into(),
        message: "a frame must be a JSON object with `event` and `data`".into(),
    })?;
    let data = frame.data.map_or("{}", |data| data.get()).as_bytes();
    let meant = serde_json::from_slice::<wire::Addressed>(data).ok();
    let meant = meant.and_then(|addressed| addressed.debate_id?.parse::<Reference<_>>().ok());
    let meant = match meant {
        Some(reference) => arena.find_debate(&reference).await?,
        None => None,
    };
    if meant != Some(own) {
        return Err(Invalid::new("debate_id", "must be the debate of this connection").into());
    }
    Ok(match frame.event.as_str() {
        INTERVENTION => {
            (INTERVENTION, from_json::<wire::SubmitIntervention>(data)?.parse(settings)?)
        }
        RULING => (RULING, from_json::<wire::SubmitRuling>(data)?.parse(settings)?),
        _ => {
            let known = "must be `submit_intervention` or `submit_ruling`";
            return Err(Invalid::new("event", known).into());
        }
    })
}
