//! The parts that all pages share: data of the request, the frame with its navigation, and
//! rendering.

use std::any::Any;
use std::fmt;

use askama::{FastWritable, Template, Values, get_value};

use crate::assets;

/// A section of the site, marked in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// The home page, at `/`.
    Home,
    /// The pages of debates, below `/arena`.
    Arena,
    /// The pages of runs, below `/runs`.
    Runner,
    /// The pages of problems, solutions, posts and reviews, below `/forum`.
    Forum,
    /// The documentation, below `/guide`.
    Guide,
    /// Pages outside the navigation, such as the login page.
    None,
}

impl Section {
    /// The path of the section's list, and its label.
    const fn list_link(self) -> (&'static str, &'static str) {
        match self {
            Self::Home | Self::Arena | Self::None => ("/arena", "All debates"),
            Self::Runner => ("/runs", "All runs"),
            Self::Forum => ("/forum", "Forum"),
            Self::Guide => ("/guide", "Guide"),
        }
    }
}

/// The browser's rights as the arbitrator of debates with seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArbitratorAccess {
    /// The server has no arbitrator token.
    #[default]
    NotConfigured,
    /// The browser has no session with arbitrator rights.
    SignedOut,
    /// The browser has a session with arbitrator rights.
    SignedIn,
}

/// Data of the request that every page needs.
#[derive(Debug, Clone, Default)]
pub struct PageRequest {
    /// The path before every path of the server; empty without a base path.
    pub base_path: String,
    /// The token that forms repeat.
    pub form_token: String,
    /// Whether the browser has a session that it can end.
    pub can_sign_out: bool,
    /// The browser's rights on debates with seats.
    pub arbitrator: ArbitratorAccess,
    /// The URL of the server, as the browser sees it.
    pub server: String,
}

impl PageRequest {
    pub(crate) fn frame(&self, section: Section, title: impl Into<String>) -> Frame {
        Frame {
            title: title.into(),
            section,
            form_token: self.form_token.clone(),
            can_sign_out: self.can_sign_out,
            version: env!("CARGO_PKG_VERSION"),
            style: assets::STYLE.path(),
            script: assets::SCRIPT.path(),
            icon: assets::ICON.path(),
        }
    }

    pub(crate) fn render(&self, template: &impl Template) -> String {
        template.render_with_values(self).expect("all values of a template can be displayed")
    }
}

/// The frame of every page.
pub(crate) struct Frame {
    pub(crate) title: String,
    pub(crate) section: Section,
    /// The token that forms repeat.
    pub(crate) form_token: String,
    /// Whether there is a session to end.
    pub(crate) can_sign_out: bool,
    /// The server's version, shown in the footer.
    pub(crate) version: &'static str,
    pub(crate) style: &'static str,
    pub(crate) script: &'static str,
    pub(crate) icon: &'static str,
}

impl Frame {
    pub(crate) const fn list_link(&self) -> (&'static str, &'static str) {
        self.section.list_link()
    }

    pub(crate) fn is_home(&self) -> bool {
        self.section == Section::Home
    }

    pub(crate) fn is_arena(&self) -> bool {
        self.section == Section::Arena
    }

    pub(crate) fn is_runner(&self) -> bool {
        self.section == Section::Runner
    }

    pub(crate) fn is_forum(&self) -> bool {
        self.section == Section::Forum
    }

    pub(crate) fn is_guide(&self) -> bool {
        self.section == Section::Guide
    }
}

const BASE_PATH_KEY: &str = "base";

/// Templates are rendered with the request's base path.
impl Values for PageRequest {
    fn get_value<'a>(&'a self, key: &str) -> Option<&'a dyn Any> {
        (key == BASE_PATH_KEY).then_some(&self.base_path)
    }
}

/// The base path in a template: `href="{{ crate::BASE }}/arena"`.
pub(crate) const BASE: BasePathValue = BasePathValue;

/// The base path of the request for which a template is rendered.
pub(crate) struct BasePathValue;

/// A template accepts only values that can be displayed, but writes this one with `FastWritable`,
/// which knows the request. Without a request, rendering fails and does not omit the base path.
impl fmt::Display for BasePathValue {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl FastWritable for BasePathValue {
    fn write_into(&self, out: &mut dyn fmt::Write, values: &dyn Values) -> askama::Result<()> {
        let base_path: &String = get_value(values, BASE_PATH_KEY)?;
        Ok(out.write_str(base_path)?)
    }
}
