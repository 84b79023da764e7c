//! The pages: as HTTP, and in a real browser.

mod browser;
mod guard;
mod looks;
mod pages;
mod person;

use browser::Browser;
