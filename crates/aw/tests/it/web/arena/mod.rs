//! The arena's pages.

mod arbitrator;
mod forms;
mod injection;
mod live;
mod pages;
