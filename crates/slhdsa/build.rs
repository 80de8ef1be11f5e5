//! Sets `thumb2` for targets that have these instructions: Arm's target features are not visible to stable Rust.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(thumb2)");
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    if ["thumbv7m", "thumbv7em", "thumbv8m.main"].iter().any(|start| target.starts_with(start)) {
        println!("cargo::rustc-cfg=thumb2");
    }
}
