//! Licences of what ships: every dependency of the workspace and of the firmware, tests and their tools aside.
use anyhow::{Context, Result, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::collections::BTreeSet;
use std::path::Path;

use crate::repository;

/// Licences that ask for no more than to be named.
const ALLOWED: [&str; 9] =
    ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "Unicode-3.0", "Zlib"];

pub fn run() -> Result<()> {
    let mut faults = BTreeSet::new();
    let mut count = 0;
    for workspace in ["Cargo.toml", "firmware/verify-only/Cargo.toml"] {
        check_workspace(&repository::root().join(workspace), &mut count, &mut faults)?;
    }
    if !faults.is_empty() {
        bail!("{}", faults.into_iter().collect::<Vec<_>>().join("\n"));
    }
    println!("{count} dependencies, all under {}", ALLOWED.join(", "));
    Ok(())
}

fn check_workspace(manifest: &Path, count: &mut usize, faults: &mut BTreeSet<String>) -> Result<()> {
    let metadata = MetadataCommand::new().manifest_path(manifest).exec()?;
    for id in shipped(&metadata)? {
        let package = &metadata[&id];
        if package.source.is_some() {
            *count += 1;
            faults.extend(fault(package));
        }
    }
    Ok(())
}

/// The packages that members of the workspace need to be built, without those that only their tests need.
fn shipped(metadata: &Metadata) -> Result<BTreeSet<PackageId>> {
    let graph = metadata.resolve.as_ref().context("cargo metadata gave no dependency graph")?;
    let mut seen = BTreeSet::new();
    let mut open = metadata.workspace_members.clone();
    while let Some(id) = open.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let node = graph.nodes.iter().find(|n| n.id == id).context("a package without a node")?;
        let needed =
            |d: &&cargo_metadata::NodeDep| d.dep_kinds.iter().any(|k| k.kind != DependencyKind::Development);
        open.extend(node.deps.iter().filter(needed).map(|d| d.pkg.clone()));
    }
    Ok(seen)
}

/// What is wrong with the licence of a package, if anything.
fn fault(package: &Package) -> Option<String> {
    let name = format!("{} {}", package.name, package.version);
    let Some(licence) = &package.license else {
        return Some(format!("{name}: names no licence"));
    };
    // "MIT/Apache-2.0" is how it was written once.
    match spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX) {
        Err(error) => Some(format!("{name}: {licence}: {}", error.reason)),
        Ok(expression) if expression.evaluate(allowed) => None,
        Ok(_) => Some(format!("{name}: {licence} is not allowed")),
    }
}

fn allowed(requirement: &spdx::LicenseReq) -> bool {
    requirement.license.id().is_some_and(|id| ALLOWED.contains(&id.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(licence: &str) -> bool {
        spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX).unwrap().evaluate(allowed)
    }

    #[test]
    fn copyleft_is_refused_unless_there_is_a_choice() {
        assert!(accepts("MIT/Apache-2.0"));
        assert!(accepts("(MIT OR Apache-2.0) AND Unicode-3.0"));
        assert!(accepts("LGPL-2.1-or-later OR MIT"));
        assert!(!accepts("GPL-2.0"));
        assert!(!accepts("MIT AND GPL-3.0-or-later"));
        assert!(!accepts("MPL-2.0"));
    }
}
