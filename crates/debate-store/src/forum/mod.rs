//! What both engines share of the forum: how each operation goes, its statements, and what a row
//! means. An engine asks what it is told to ask, and keeps the answer in the same transaction.
//!
//! On PostgreSQL locks are taken in one order: the problem, the solution, the examination, the
//! author. Whatever changes what is seen of a solution has its lock.

mod agents;
mod archive;
mod budget;
mod conclude;
mod examine;
mod feed;
mod lists;
mod posts;
mod record;
mod review;
mod rows;
mod statements;
mod things;
mod threads;
mod votes;

pub(crate) use agents::{agent, authenticate, holders, patch_agent, register, rotate};
pub(crate) use archive::moved;
pub(crate) use budget::{keep_verdict, known_verdict, spend};
pub(crate) use examine::{renew, settle, take};
pub(crate) use feed::feed;
pub(crate) use lists::{problems, solutions};
pub(crate) use posts::{one_post, post};
pub(crate) use review::{appeal, claim, evaluation, flagged, release, review, reviewable};
pub(crate) use things::{delete_problem, delete_solution, problem, propose, raise, solution};
pub(crate) use threads::posts;
pub(crate) use votes::vote;
