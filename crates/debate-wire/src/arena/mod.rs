//! Wire types of the arena.

mod answer;
mod live;
mod query;
mod request;
mod seat;
mod vocabulary;

pub use answer::{
    Argument, Debate, DebateList, Deleted, NewArgument, NewArguments, NoNewArguments, Transcript,
    WaitResult, WriteResult,
};
pub use live::{
    Addressed, ClientFrame, DeletedDebate, EventsQuery, Notice, Reason, ServerFrame, Snapshot,
    SocketQuery, StateChange, StreamEvent,
};
pub use query::{DebatePath, DebateQuery, ListQuery, PollQuery, WaitQuery};
pub use request::{
    CreateDebate, SubmitAppeal, SubmitClaim, SubmitIntervention, SubmitResolution, SubmitRuling,
};
pub use seat::{
    ARBITRATOR_HEADER, ArbitratorHeader, INVITE_HEADER, InviteHeader, NewSeatHeader, ReleasedSeat,
    SEAT_HEADER, Seat, SeatChange, SeatGrant, SeatHeader, SeatPath, SeatResult, SeatStatus,
    TakeSeat,
};
pub use vocabulary::{Action, ArgumentType, DebateType, Role, Side, State, WaitAction};
