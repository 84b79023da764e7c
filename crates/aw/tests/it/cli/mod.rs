//! The command line: the real binary, real servers, real shells.

mod agents;
mod background;
mod forum;
mod proof;
mod refusals;
mod results;
mod runs;
mod secured;
mod streams;
mod terminal;
mod waiting;
