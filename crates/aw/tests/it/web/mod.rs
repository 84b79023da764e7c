//! The pages: as HTTP, and in a real browser.

mod attack;
mod browser;
mod forms;
pub(crate) mod forum;
mod guard;
mod guide;
mod live;
mod looks;
mod pages;
pub(crate) mod person;
mod prefix;
mod proxy;
mod runs;
mod seat;

use browser::Browser;
pub(crate) use person::Person;
