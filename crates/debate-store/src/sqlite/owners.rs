//! Other processes that have a database file open, as Linux shows them in `/proc`.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::open::{Consent, file_error};
use super::open_error::OpenError;

const PROCESSES: &str = "/proc";

/// The other processes that have a file open, as far as the system shows them.
#[derive(Debug, PartialEq, Eq)]
enum OtherProcess {
    /// A process that has the file open.
    Owner { pid: u32, program: String },
    /// No process that this user can inspect has the file open.
    None,
    /// The system does not show open files.
    Unknown,
}

/// Refuses a file that another process has open. Where the system does not show that, the operator
/// must confirm that no process has.
pub(super) fn refuse_owned(path: &Path, file: &File, consent: Consent) -> Result<(), OpenError> {
    let found = file.metadata().map_err(file_error(path))?;
    decide(path, find_other_process(Path::new(PROCESSES), &found), consent)
}

/// Refuses a file that the system shows as open in another process.
pub(super) fn refuse_known_owner(path: &Path, file: &File) -> Result<(), OpenError> {
    refuse_owned(path, file, Consent { carry_over: true, ..Consent::default() })
}

fn decide(path: &Path, other: OtherProcess, consent: Consent) -> Result<(), OpenError> {
    match other {
        OtherProcess::Owner { pid, program } => {
            Err(OpenError::OpenElsewhere { path: path.to_owned(), pid, program })
        }
        OtherProcess::Unknown if !consent.carry_over => {
            Err(OpenError::Unconfirmed(path.to_owned()))
        }
        OtherProcess::None | OtherProcess::Unknown => Ok(()),
    }
}

/// Searches the open files of every other process. Processes of other users cannot be
/// inspected and are skipped.
fn find_other_process(processes: &Path, file: &Metadata) -> OtherProcess {
    // The process file system lists the reading process; an empty folder of that name does not.
    if !processes.join("self/fd").exists() {
        return OtherProcess::Unknown;
    }
    let Ok(listed) = fs::read_dir(processes) else { return OtherProcess::Unknown };
    let own = std::process::id();
    for process in listed.flatten() {
        let pid = process.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(pid) = pid.filter(|pid| *pid != own) else { continue };
        if has_open(&process.path().join("fd"), file) {
            let program = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return OtherProcess::Owner { pid, program: program.trim().to_owned() };
        }
    }
    OtherProcess::None
}

fn has_open(descriptors: &Path, file: &Metadata) -> bool {
    let Ok(descriptors) = fs::read_dir(descriptors) else { return false };
    descriptors.flatten().any(|descriptor| {
        let path = descriptor.path();
        // Sockets and pipes have no path, so that reading their metadata is unnecessary.
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
    fn migration_needs_a_confirmation_where_open_files_are_not_shown() {
        let (folder, path) = (tempfile::tempdir().expect("there is room"), Path::new("x.db"));
        let file = tempfile::tempfile().and_then(|file| file.metadata()).expect("there is room");
        let unknown = || find_other_process(folder.path(), &file);
        assert_eq!(unknown(), OtherProcess::Unknown);
        let refusal = decide(path, unknown(), Consent::default());
        assert!(matches!(refusal, Err(OpenError::Unconfirmed(_))), "{refusal:?}");
        assert!(decide(path, unknown(), CONFIRMED).is_ok());
    }

    #[test]
    fn migration_is_refused_with_or_without_confirmation_if_a_process_has_the_file_open() {
        for consent in [Consent::default(), CONFIRMED] {
            let owner = OtherProcess::Owner { pid: 17, program: "node".to_owned() };
            let refusal = decide(Path::new("x.db"), owner, consent);
            let message = refusal.expect_err("a process has it open").to_string();
            assert!(message.contains("process 17 (node)"), "{message}");
        }
        assert!(decide(Path::new("x.db"), OtherProcess::None, Consent::default()).is_ok());
    }

    #[test]
    fn file_of_this_process_has_no_other_owner() {
        let file = tempfile::tempfile().expect("there is room");
        let found = file.metadata().expect("it is open");
        assert_eq!(find_other_process(Path::new(PROCESSES), &found), OtherProcess::None);
    }
}
