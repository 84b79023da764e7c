//! The pages, over HTTP and in a real browser.

pub(crate) mod access;
mod appearance;
mod arena;
mod base_path;
mod exports;
pub(crate) mod forum;
mod guide;
mod logout;
mod runner;
pub(crate) mod seats;
