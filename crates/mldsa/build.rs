//! Sets `cortex_m4` for targets with the instructions of the Cortex-M4 with FPU: Arm's target features are not visible to
//! stable Rust.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(cortex_m4)");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("TARGET").is_ok_and(|target| target == "thumbv7em-none-eabihf") {
        println!("cargo::rustc-cfg=cortex_m4");
    }
}
