//! The pages: as HTTP, and in a real browser.

mod attack;
mod browser;
mod forms;
mod forum;
mod guard;
mod live;
mod looks;
mod pages;
mod person;
mod proxy;
mod runs;
mod seat;

use browser::Browser;
pub(crate) use person::Person;
