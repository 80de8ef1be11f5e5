//! Where things are.
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The root of the work tree.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}

/// Cargo's target directory: `CARGO_TARGET_DIR`, or `target`. Everything that a chore builds or caches is under it.
pub fn target() -> &'static Path {
    static TARGET: LazyLock<PathBuf> = LazyLock::new(|| match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    });
    &TARGET
}

/// Where programs are kept that a chore built for itself or for the tests.
pub fn tools() -> PathBuf {
    target().join("tools")
}

/// The commit that is checked out, marked if files under version control were changed; `None` outside of git.
pub fn commit() -> Option<String> {
    let mut git = std::process::Command::new("git");
    git.current_dir(root()).args(["describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]);
    crate::shell::output(&mut git).ok().map(|text| text.trim().to_string())
}
