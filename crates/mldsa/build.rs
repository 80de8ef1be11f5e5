//! Sets `cortex_m4` for targets with the instructions of the Cortex-M4 with FPU: Arm's target features are not visible to
//! stable Rust. Not where size is what counts: the assembly is fast, not small.

use std::env;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(cortex_m4)");
    println!("cargo::rerun-if-changed=build.rs");
    let target = env::var("TARGET").is_ok_and(|target| target == "thumbv7em-none-eabihf");
    let for_size = env::var("OPT_LEVEL").is_ok_and(|level| level == "s" || level == "z");
    if target && !for_size {
        println!("cargo::rustc-cfg=cortex_m4");
    }
}
