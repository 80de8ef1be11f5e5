//! Messages of any size, in constant memory.
#![cfg(target_os = "linux")]
mod common;

use common::{Folder, PROGRAM, expect, text};
use std::fs::File;

/// Runs the program with little memory: what it can write to, stacks included, is limited.
fn run_in(folder: &Folder, kib: usize, words: &str) -> Vec<u8> {
    let mut command = folder.command("/bin/sh");
    // Each thread has 2 MiB of stack.
    command.env("RAYON_NUM_THREADS", "2");
    command.arg("-c").arg(format!("ulimit -d {kib} && exec {PROGRAM} {words}"));
    let output = command.output().unwrap();
    expect(words, &output, 0);
    output.stdout
}

fn sign_and_verify(algorithm: &str, bytes: u64, options: &[&str]) {
    const KIB: usize = 12 * 1024;
    let folder = Folder::new();
    folder.keys(algorithm);
    File::create(folder.path("message")).unwrap().set_len(bytes).unwrap();
    for options in options {
        run_in(&folder, KIB, &format!("sign --key key.pem {options} --in message --out sig --force"));
        run_in(&folder, KIB, &format!("verify --key pub.pem {options} --signature sig --in message"));
    }
}

#[test]
fn a_large_file_needs_no_more_memory() {
    sign_and_verify("ML-DSA-65", 200 << 20, &["", "--prehash SHA2-512"]);
    sign_and_verify("SLH-DSA-SHA2-128f", 100 << 20, &[""]);
}

#[test]
#[ignore = "slow: hashes 16 GiB"]
fn four_gibibytes() {
    sign_and_verify("ML-DSA-65", 4 << 30, &["", "--prehash SHA2-512"]);
}

/// More than the limit of memory through a pipe, for SLH-DSA, which reads it three times.
#[test]
fn a_large_pipe_needs_no_more_memory() {
    let folder = Folder::new();
    folder.keys("SLH-DSA-SHA2-128f");
    let mut command = folder.command("/bin/sh");
    let signing = format!(
        "head -c 100000000 /dev/zero | (ulimit -d 40960; exec {PROGRAM} sign --key key.pem --out sig)"
    );
    let output = command.env("RAYON_NUM_THREADS", "2").arg("-c").arg(&signing).output().unwrap();
    expect(&signing, &output, 0);
    File::create(folder.path("message")).unwrap().set_len(100_000_000).unwrap();
    assert_eq!(
        text(&run_in(&folder, 40960, "verify --key pub.pem --signature sig --in message")),
        "message: the SLH-DSA-SHA2-128f signature is good\n"
    );
}

/// A key file cannot exhaust the memory either.
#[test]
fn huge_small_files_are_refused_at_once() {
    let folder = Folder::new();
    folder.keys("ML-DSA-44");
    folder.write("message", "");
    File::create(folder.path("huge")).unwrap().set_len(1 << 40).unwrap();
    let refused = "pqsoc: huge: more than 1 MiB, too large for a key, certificate or signature\n";
    assert_eq!(folder.fails(3, "sign --key huge --in message"), refused);
    assert_eq!(folder.fails(3, "verify --key pub.pem --signature huge --in message"), refused);
    assert_eq!(folder.fails(3, "inspect huge"), refused);
    assert_eq!(folder.fails(3, "sign --key /dev/zero --in message"), refused.replace("huge", "/dev/zero"));
}
