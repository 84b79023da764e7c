//! Other processes that have a database file open, as Linux shows them in `/proc`.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::open::{Consent, at};
use super::open_error::OpenError;

const PROCESSES: &str = "/proc";

/// What the system shows of other processes that have a file open.
#[derive(Debug, PartialEq, Eq)]
enum Others {
    /// This process has it open.
    Owner { pid: u32, program: String },
    /// No process that can be looked into has it open.
    None,
    /// The system does not show open files.
    Unseen,
}

/// Refuses a file that another process has open. Where the system does not show that, the operator
/// has to confirm that none has.
pub(super) fn refuse_owned(path: &Path, file: &File, consent: Consent) -> Result<(), OpenError> {
    let found = file.metadata().map_err(at(path))?;
    decide(path, find_others(Path::new(PROCESSES), &found), consent)
}

/// Refuses a file that another process is seen to have open.
pub(super) fn refuse_seen(path: &Path, file: &File) -> Result<(), OpenError> {
    refuse_owned(path, file, Consent { carry_over: true, ..Consent::default() })
}

fn decide(path: &Path, others: Others, consent: Consent) -> Result<(), OpenError> {
    match others {
        Others::Owner { pid, program } => {
            Err(OpenError::OpenElsewhere { path: path.to_owned(), pid, program })
        }
        Others::Unseen if !consent.carry_over => Err(OpenError::Unconfirmed(path.to_owned())),
        Others::None | Others::Unseen => Ok(()),
    }
}

/// Looks for the file among the open files of every other process. A process that belongs to
/// another user can't be looked into and is passed over.
fn find_others(processes: &Path, file: &Metadata) -> Others {
    // The process file system lists its reader; an empty folder of that name does not.
    if !processes.join("self/fd").exists() {
        return Others::Unseen;
    }
    let Ok(listed) = fs::read_dir(processes) else { return Others::Unseen };
    let own = std::process::id();
    for process in listed.flatten() {
        let pid = process.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(pid) = pid.filter(|pid| *pid != own) else { continue };
        if has_open(&process.path().join("fd"), file) {
            let program = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Others::Owner { pid, program: program.trim().to_owned() };
        }
    }
    Others::None
}

fn has_open(descriptors: &Path, file: &Metadata) -> bool {
    let Ok(descriptors) = fs::read_dir(descriptors) else { return false };
    descriptors.flatten().any(|descriptor| {
        let path = descriptor.path();
        // Sockets and pipes have no path; asking for their metadata is spared.
        let is_path = fs::read_link(&path).is_ok_and(|target| target.is_absolute());
        let same = |found: Metadata| (found.dev(), found.ino()) == (file.dev(), file.ino());
        is_path && fs::metadata(&path).is_ok_and(same)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIRMED: Consent = Consent { database_as_is: false, carry_over: true };

    #[test]
    fn carry_over_needs_a_confirmation_where_owners_can_not_be_seen() {
        let (folder, path) = (tempfile::tempdir().expect("there is room"), Path::new("x.db"));
        let file = tempfile::tempfile().and_then(|file| file.metadata()).expect("there is room");
        let unseen = || find_others(folder.path(), &file);
        assert_eq!(unseen(), Others::Unseen);
        let refusal = decide(path, unseen(), Consent::default());
        assert!(matches!(refusal, Err(OpenError::Unconfirmed(_))), "{refusal:?}");
        assert!(decide(path, unseen(), CONFIRMED).is_ok());
    }

    #[test]
    fn carry_over_is_refused_with_or_without_confirmation_if_an_owner_is_seen() {
        for consent in [Consent::default(), CONFIRMED] {
            let owner = Others::Owner { pid: 17, program: "node".to_owned() };
            let refusal = decide(Path::new("x.db"), owner, consent);
            let words = refusal.expect_err("it has an owner").to_string();
            assert!(words.contains("process 17 (node)"), "{words}");
        }
        assert!(decide(Path::new("x.db"), Others::None, Consent::default()).is_ok());
    }

    #[test]
    fn own_process_does_not_count_as_another_owner() {
        let file = tempfile::tempfile().expect("there is room");
        let found = file.metadata().expect("it is open");
        assert_eq!(find_others(Path::new(PROCESSES), &found), Others::None);
    }
}
