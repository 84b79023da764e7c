//! Where the debates are.

use std::path::PathBuf;

use anyhow::bail;

use crate::config::ServeArgs;
use crate::settings::{Found, Sources, expand_home};

/// The database's place, and whether anybody chose it.
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) by_default: bool,
}

const FOLDER: &str = "~/.aweave/db";
const NAME: &str = "debate.db";

/// Where the first server of this family kept its debates.
pub(crate) const OLD_PLACE: &str = "~/.aweave/debate.db";

/// A path wins over a folder and a name; a URL must stand alone.
pub(crate) fn place(args: &ServeArgs, sources: &Sources) -> anyhow::Result<Place> {
    let flag = |name, value: &'_ Option<String>| value.clone().map(|text| (name, text));
    let find = |flag: Option<(&'static str, String)>, variable| {
        sources.find(flag.as_ref().map(|(name, text)| (*name, text)), variable)
    };
    let path = find(flag("db-path", &args.db_path), "DEBATE_DB_PATH");
    let url = find(flag("database-url", &args.database_url), "DEBATE_DATABASE_URL");
    let folder = find(None, "DEBATE_DB_DIR");
    let name = find(None, "DEBATE_DB_NAME");
    match (path, url) {
        (Some(path), Some(url)) => bail!(
            "{} and {} both say where the debates are; keep one of them",
            path.origin,
            url.origin
        ),
        (Some(path), None) => Ok(Place { path: path.path(), by_default: false }),
        (None, Some(url)) => Ok(Place { path: by_url(&url)?, by_default: false }),
        (None, None) => {
            let by_default = folder.is_none() && name.is_none();
            let folder = folder.map_or_else(|| expand_home(FOLDER), |found| found.path());
            let name = name.map_or_else(|| NAME.to_owned(), |found| found.text);
            Ok(Place { path: folder.join(name), by_default })
        }
    }
}

fn by_url(url: &Found) -> anyhow::Result<PathBuf> {
    let (scheme, rest) = url.text.split_once(':').unwrap_or(("", &url.text));
    match scheme {
        "file" | "sqlite" if !rest.is_empty() => {
            // Three slashes or one: an absolute path either way.
            Ok(expand_home(rest.strip_prefix("//").unwrap_or(rest)))
        }
        // The URL may hold a password, so none of it is repeated.
        "postgres" | "postgresql" => {
            bail!("{}: this version keeps debates in SQLite only; give a file: URL", url.origin)
        }
        _ => Err(url.bad_secret("file:PATH or sqlite:PATH").into()),
    }
}
