//! Outcomes that are known already, in files named by what they depend on.
use super::job::{Job, Outcome};
use pqsoc_keccak::{Sha3_256, Software};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A folder of outcomes. Several programs may use it at the same time.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    /// What the virtual board is: a change of its model makes other names.
    board: String,
}

impl Cache {
    /// Outcomes in `folder`, which is made if it does not exist. The virtual board is the program that runs: its bytes
    /// are part of every name.
    ///
    /// # Errors
    /// The folder cannot be made, or the program not be read.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let program = fs::read(std::env::current_exe()?)?;
        Self::with_board(folder, hex::encode(Sha3_256::<Software>::digest(&[&program])))
    }

    fn with_board(folder: &Path, board: String) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.into(), board })
    }

    fn path(&self, job: &Job) -> PathBuf {
        let identity = job.identity();
        let name = Sha3_256::<Software>::digest(&[self.board.as_bytes(), b"\n", identity.as_bytes()]);
        self.folder.join(hex::encode(name)).with_extension("json")
    }

    /// What the job gave before. A file that cannot be read is as good as none: the job is run again.
    pub fn get(&self, job: &Job) -> Option<Outcome> {
        serde_json::from_slice(&fs::read(self.path(job)).ok()?).ok()
    }

    /// Remembers what a job gave. The file appears whole or not at all.
    ///
    /// # Errors
    /// It cannot be written: the disk may be full.
    pub fn put(&self, job: &Job, outcome: &Outcome) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&serde_json::to_vec(outcome)?)?;
        file.persist(self.path(job)).map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::job::tests_support::job;
    use crate::experiment::{Clock, Engine, Setup};

    #[test]
    fn outcomes_are_kept_by_what_they_depend_on() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::with_board(folder.path(), "board".into()).unwrap();
        let known = job();
        let outcome = Outcome { stack_bytes: 7, ..Outcome::default() };
        assert_eq!(cache.get(&known), None);
        cache.put(&known, &outcome).unwrap();
        assert_eq!(cache.get(&known), Some(outcome.clone()));
        let other = |change: &dyn Fn(&mut Job)| {
            let mut other = job();
            change(&mut other);
            cache.get(&other)
        };
        assert_eq!(other(&|j| j.expected_cycles += 1), Some(outcome));
        assert_eq!(other(&|j| j.runs += 1), None);
        assert_eq!(other(&|j| j.seed = "11".into()), None);
        let stm32 = |sram_kb, clock| Setup::Stm32f407 { sram_kb, clock, profile: "fast".into() };
        assert_eq!(other(&|j| j.setup = stm32(1024, Clock::Mhz24)), None);
        assert_eq!(other(&|j| j.setup = stm32(128, Clock::Mhz168)), None);
        assert_eq!(other(&|j| j.setup = Setup::Zedboard { engine: Engine::Study, pl_mhz: 100 }), None);
        // Another board, another result.
        assert_eq!(Cache::with_board(folder.path(), "other".into()).unwrap().get(&known), None);
        // Half a file is none.
        fs::write(cache.path(&known), "{\"runs\":[").unwrap();
        assert_eq!(cache.get(&known), None);
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(Cache::with_board(&file.join("cache"), "board".into()).is_err());
        let cache = Cache::with_board(&folder.path().join("cache"), "board".into()).unwrap();
        fs::remove_dir(folder.path().join("cache")).unwrap();
        assert!(cache.put(&job(), &Outcome::default()).is_err());
    }
}
