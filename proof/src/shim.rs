//! The preloaded library that makes disk calls fail: compiled at run time, switched
//! while the server runs.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::server::Setup;

const SOURCE: &str = include_str!("../shim/io_fault.c");

/// The bit for "only the n-th such call".
const ONLY_NTH: u32 = 4;

/// The calls of the server that fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    Syncs,
    Writes,
    Both,
}

impl Calls {
    const fn bits(self) -> u32 {
        match self {
            Self::Syncs => 1,
            Self::Writes => 2,
            Self::Both => 3,
        }
    }
}

/// The error of a failing call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errno {
    /// `EIO`: an input/output error.
    Io,
    /// No space is left on the device.
    NoSpace,
}

impl Errno {
    fn number(self) -> u32 {
        let errno = match self {
            Self::Io => rustix::io::Errno::IO,
            Self::NoSpace => rustix::io::Errno::NOSPC,
        };
        u32::try_from(errno.raw_os_error()).unwrap_or_default()
    }
}

/// The switch of a preloaded library.
pub(crate) struct Shim {
    library: PathBuf,
    control: PathBuf,
    switch: File,
}

impl Shim {
    /// Compiles the library into `folder`.
    pub(crate) fn build(folder: &Path) -> anyhow::Result<Self> {
        let (source, library) = (folder.join("io_fault.c"), folder.join("io_fault.so"));
        std::fs::write(&source, SOURCE)?;
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o"])
            .args([&library, &source])
            .arg("-ldl")
            .output()
            .context("cc is needed to build the preloaded library")?;
        ensure!(built.status.success(), "cc: {}", String::from_utf8_lossy(&built.stderr));
        let control = folder.join("io_fault.control");
        std::fs::write(&control, [0; 4096])?;
        let switch = File::options().read(true).write(true).open(&control)?;
        Ok(Self { library, control, switch })
    }

    /// Makes a server start with the library.
    pub(crate) fn preload_into(&self, setup: Setup) -> Setup {
        setup
            .env("LD_PRELOAD", self.library.display().to_string())
            .env("AW_FAULT_FILE", self.control.display().to_string())
    }

    /// Makes every such call fail from now on.
    pub(crate) fn fail(&self, calls: Calls, errno: Errno) -> anyhow::Result<()> {
        // The word that enables the fault is written last.
        self.write_word(1, errno.number())?;
        self.write_word(0, calls.bits())
    }

    /// Makes only the n-th such call from now on fail.
    pub(crate) fn fail_nth(&self, calls: Calls, errno: Errno, n: u32) -> anyhow::Result<()> {
        self.clear_fault()?;
        self.write_word(1, errno.number())?;
        self.write_word(2, n)?;
        self.write_word(0, calls.bits() | ONLY_NTH)
    }

    pub(crate) fn clear_fault(&self) -> anyhow::Result<()> {
        self.write_word(0, 0)
    }

    /// The number of calls that failed so far.
    pub(crate) fn failed(&self) -> anyhow::Result<u32> {
        let mut bytes = [0; 4];
        self.switch.read_exact_at(&mut bytes, 12)?;
        Ok(u32::from_ne_bytes(bytes))
    }

    fn write_word(&self, index: u64, value: u32) -> anyhow::Result<()> {
        Ok(self.switch.write_all_at(&value.to_ne_bytes(), index * 4)?)
    }
}
