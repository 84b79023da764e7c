//! The pages, over HTTP and in a real browser.

mod attack;
mod browser;
mod exports;
mod forms;
pub(crate) mod forum;
pub(crate) mod guard;
mod guide;
mod live;
mod logout;
mod looks;
mod pages;
pub(crate) mod person;
mod prefix;
mod proxy;
mod runs;
mod seat;

use browser::Browser;
pub(crate) use person::Person;
