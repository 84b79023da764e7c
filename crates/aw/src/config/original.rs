//! Variables of the original server that this server does not read.

use super::ServeArgs;
use super::values::Asked;

/// A variable of the original server, and the variable that this server reads instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IgnoredVariable {
    pub(crate) name: &'static str,
    pub(crate) replacement: &'static str,
}

/// The variables of the original server that are set while their replacements are not.
pub(super) fn ignored_variables(args: &ServeArgs, asked: &Asked<'_>) -> Vec<IgnoredVariable> {
    let renamed = [
        ("AUTH_TOKEN", "DEBATE_AUTH_TOKEN", None),
        ("SERVER_HOST", "DEBATE_SERVER_HOST", args.host.as_ref()),
        ("SERVER_PORT", "DEBATE_SERVER_PORT", args.port.as_ref()),
    ];
    renamed
        .into_iter()
        .filter(|(name, replacement, flag)| {
            asked.sources.variable(name).is_some() && asked.find(*flag, replacement).is_none()
        })
        .map(|(name, replacement, _)| IgnoredVariable { name, replacement })
        .collect()
}
