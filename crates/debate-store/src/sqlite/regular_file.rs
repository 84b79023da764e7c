//! Opens regular files only: a device, a pipe or a folder is refused before anything is changed.

use std::fs::{self, File, FileType};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::process::geteuid;

use super::open::file_error;
use super::open_error::OpenError;

/// Refuses a path that names something other than a regular file. A path that does not exist is
/// accepted. An empty file of another user is refused: only its owner can use it as a database.
pub(super) fn check(path: &Path) -> Result<(), OpenError> {
    let found = match fs::metadata(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found.map_err(file_error(path))?,
    };
    let refuse = |kind| Err(OpenError::NotRegular { path: path.to_owned(), kind });
    if !found.is_file() {
        return refuse(describe(found.file_type()));
    }
    if found.len() == 0 && found.uid() != geteuid().as_raw() {
        return refuse("an empty file of another user");
    }
    Ok(())
}

/// Opens a regular file for reading and writing; creates it, private to its user, if it does not
/// exist. Neither follows a link nor waits for the other end of a pipe.
pub(super) fn open(path: &Path) -> Result<File, OpenError> {
    let flags =
        OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR);
    let file = File::from(file.map_err(io::Error::from).map_err(file_error(path))?);
    let found = file.metadata().map_err(file_error(path))?;
    if found.is_file() {
        return Ok(file);
    }
    let kind = describe(found.file_type());
    Err(OpenError::NotRegular { path: path.to_owned(), kind })
}

fn describe(found: FileType) -> &'static str {
    if found.is_dir() {
        "a folder"
    } else if found.is_char_device() || found.is_block_device() {
        "a device"
    } else if found.is_fifo() {
        "a pipe"
    } else if found.is_socket() {
        "a socket"
    } else {
        "a link"
    }
}
