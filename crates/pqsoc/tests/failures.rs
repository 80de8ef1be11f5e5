//! Everything that goes wrong outside of cryptography: exit codes, sentences, files, pipes.
mod common;

use common::{Folder, expect, run_with_input, text};
use std::{fs, process::Stdio};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.keys("ML-DSA-44");
    folder.write("message", "a message\n");
    folder.ok("sign --key key.pem --in message --out sig");
    folder
}

#[test]
fn usage_ends_with_2() {
    let folder = folder();
    for words in [
        "",
        "unknown",
        "sign",
        "sign --key key.pem --unknown",
        "sign --key key.pem --context a --context-hex 00 --in message",
        "sign --key key.pem --mu --context a --in message",
        "sign --key key.pem --mu --context-hex 00 --in message",
        "sign --key key.pem --mu --prehash SHA2-256 --in message",
        "sign --key key.pem --context-hex 0 --in message",
        "sign --key key.pem --context-hex zz --in message",
        "sign --key key.pem --prehash MD5 --in message",
        "sign --key key.pem --prehash SHA-1 --in message",
        "sign --key - --in -",
        "verify --key - --signature - --in message",
        "verify --key pub.pem --in message",
        "verify --key pub.pem --signature sig --in message --format xml",
        "keygen --out new",
        "keygen --algorithm ML-DSA-45 --out new",
        "keygen --algorithm HashML-DSA-44-with-SHA512 --out new",
        "keygen --algorithm ML-DSA-44",
        "keygen --algorithm ML-DSA-44 --out new --form half",
        "keygen --algorithm ML-DSA-44 --out new --seed-hex 00",
        "keygen --algorithm ML-DSA-44 --out new --seed-hex x",
        "keygen --algorithm ML-DSA-44 --out new --public new",
        "keygen --algorithm ML-DSA-44 --out - --public -",
        "keygen --algorithm SLH-DSA-SHA2-128f --out new --form seed",
        "keygen --policy strict --algorithm ML-DSA-87 --out new",
        "inspect",
        "speed RSA",
        "speed ML-DSA-44 --seconds x",
        "speed ML-DSA-44 --seconds -1",
        "speed HashML-DSA-44-with-SHA512",
        "completions tcsh",
        "man",
    ] {
        let said = folder.fails(2, words);
        assert!(
            said.starts_with("error: ") || said.starts_with("pqsoc: ") || words.is_empty(),
            "{words}: {said}"
        );
        assert!(!folder.exists("new"), "{words}");
    }
}

#[test]
fn files_that_cannot_be_used_end_with_3() {
    let folder = folder();
    fs::create_dir(folder.path("folder")).unwrap();
    folder.write("empty", "");
    folder.write("text", "hello\n");
    folder.write("seed", [7; 32]);
    folder.write("large", vec![0x30; (1 << 20) + 1]);
    let none = "no such file or directory";
    let private = "where a private key is needed";
    for (words, said) in [
        ("sign --key absent --in message", format!("absent: {none}")),
        ("sign --key key.pem --in absent", format!("absent: {none}")),
        ("sign --key folder --in message", "folder: is a directory".into()),
        ("sign --key key.pem --in folder", "folder: is a directory".into()),
        ("sign --key key.pem --in message --out folder", "folder: is a directory".into()),
        ("sign --key key.pem --in message --out absent/sig", format!("absent/sig: {none}")),
        ("sign --key key.pem --in message --out message/sig", "message/sig: not a directory".into()),
        ("sign --key empty --in message", "empty: the file is empty".into()),
        ("sign --key text --in message", "text: neither PEM nor DER".into()),
        ("sign --key pub.pem --in message", format!("pub.pem: a public key, {private}")),
        (
            "sign --key large --in message",
            "large: more than 1 MiB, too large for a key, certificate or signature".into(),
        ),
        ("verify --key pub.pem --signature absent --in message", format!("absent: {none}")),
        ("verify --key pub.pem --signature folder --in message", "folder: is a directory".into()),
        (
            "verify --key pub.pem --signature large --in message",
            "large: more than 1 MiB, too large for a key, certificate or signature".into(),
        ),
        ("verify --key pub.pem --signature sig --in absent", format!("absent: {none}")),
        ("verify --key empty --signature sig --in message", "empty: the file is empty".into()),
        ("pubkey --key message", "message: neither PEM nor DER".into()),
        ("man --out absent", format!("absent/pqsoc.1: {none}")),
    ] {
        assert_eq!(folder.fails(3, words), format!("pqsoc: {said}\n"));
    }
    let said = folder.fails(3, "sign --key seed --in message");
    assert!(said.starts_with("pqsoc: seed: 32 bytes, the length of a seed of ML-DSA-44"), "{said}");
}

#[cfg(unix)]
#[test]
fn files_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    fs::create_dir(folder.path("locked")).unwrap();
    fs::set_permissions(folder.path("locked"), fs::Permissions::from_mode(0o500)).unwrap();
    fs::set_permissions(folder.path("message"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(folder.path("message")).is_ok() {
        println!("skipped: root may do everything");
        return;
    }
    assert_eq!(folder.fails(3, "sign --key key.pem --in message"), "pqsoc: message: permission denied\n");
    assert_eq!(
        folder.fails(3, "pubkey --key key.pem --out locked/pub"),
        "pqsoc: locked/pub: permission denied\n"
    );
}

#[test]
fn outputs_do_not_replace_inputs() {
    let folder = folder();
    fs::hard_link(folder.path("message"), folder.path("linked")).unwrap();
    for (words, a, b) in [
        ("sign --key key.pem --in message --out message --force", "message", "message"),
        ("sign --key key.pem --in message --out ./message --force", "message", "./message"),
        ("sign --key key.pem --in message --out linked --force", "message", "linked"),
        ("sign --key key.pem --in message --out key.pem --force", "key.pem", "key.pem"),
        ("pubkey --key key.pem --out key.pem --force", "key.pem", "key.pem"),
        ("mu --key pub.pem --in message --out message --force", "message", "message"),
    ] {
        let said = folder.fails(2, words);
        assert_eq!(said, format!("pqsoc: {a} and {b} are the same file; the output would replace it\n"));
    }
    assert_eq!(folder.read("message"), b"a message\n");
}

#[test]
fn a_failure_leaves_no_trace() {
    let folder = folder();
    folder.write("old", "old");
    folder.fails(3, "sign --key key.pem --in absent --out old --force");
    folder.fails(3, "sign --key key.pem --mu --in message --out old --force");
    assert_eq!(folder.read("old"), b"old");
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 5);
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    folder.write("target", "old");
    symlink("target", folder.path("link")).unwrap();
    symlink("nowhere", folder.path("dangling")).unwrap();
    symlink("/dev/null", folder.path("null")).unwrap();
    folder.fails(3, "sign --key key.pem --in message --out link");
    folder.fails(3, "sign --key key.pem --in message --out dangling");
    assert_eq!(folder.read("target"), b"old");
    folder.ok("sign --key key.pem --in message --out link --force");
    assert_eq!(folder.read("target").len(), 2420);
    assert!(folder.path("link").is_symlink());
    // A device is written to and never replaced, with or without --force.
    for out in ["null", "null --force", "/dev/null", "/dev/null --force"] {
        folder.ok(&format!("sign --key key.pem --in message --out {out}"));
    }
    assert!(folder.path("null").is_symlink());
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let to_file = |name: &str| fs::File::create(folder.path(name)).unwrap();
    let status =
        folder.pqsoc("pubkey --key key.pem --out /dev/stdout").stdout(to_file("redirected")).status();
    assert!(status.unwrap().success());
    assert_eq!(folder.read("redirected"), folder.read("pub.pem"));
    // A process substitution of the shell is a pipe with a name.
    let fifo = folder.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let writer = std::thread::spawn(move || fs::write(fifo, "a message\n").unwrap());
    folder.ok("verify --key pub.pem --signature sig --in fifo");
    writer.join().unwrap();
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_accident() {
    let folder = folder();
    let many = "key.pem pub.pem ".repeat(500);
    for format in ["human", "json", "csv"] {
        let mut child = folder
            .pqsoc(&format!("inspect {many} --format {format}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        expect(format, &output, 3);
        assert_eq!(text(&output.stderr), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let folder = folder();
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for words in
        ["inspect key.pem", "sign --key key.pem --in message", "pubkey --key key.pem", "completions bash"]
    {
        let output = folder.pqsoc(words).stdout(full()).output().unwrap();
        expect(words, &output, 3);
        assert_eq!(text(&output.stderr), "pqsoc: standard output: no space left on device\n");
    }
    assert_eq!(
        folder.fails(3, "sign --key key.pem --in message --out /dev/full"),
        "pqsoc: /dev/full: no space left on device\n"
    );
    // Nobody hears the message; the exit code stays.
    for (words, code) in
        [("sign --key absent --in message", 3), ("verify --key pub.pem --signature pub.pem --in message", 1)]
    {
        let status = folder.pqsoc(words).stdout(Stdio::null()).stderr(full()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{words}");
    }
}

#[test]
fn names_cannot_write_on_the_terminal() {
    let folder = folder();
    let mut command = folder.pqsoc("sign --in message --key");
    let output = command.arg("a\u{1b}[2Jb").output().unwrap();
    expect("sign", &output, 3);
    assert_eq!(text(&output.stderr), "pqsoc: a\\u{1b}[2Jb: no such file or directory\n");
    // Nor can a label in a file.
    folder.write("label", "-----BEGIN \x1b[2J-----\nMAA=\n-----END \x1b[2J-----\n");
    let output = folder.pqsoc("inspect label").output().unwrap();
    assert!(!text(&output.stdout).contains('\x1b'), "{:?}", text(&output.stdout));
}

#[test]
fn a_pipe_that_ends_early_is_a_short_message() {
    let folder = folder();
    let output = run_with_input(folder.pqsoc("verify --key pub.pem --signature sig"), b"a mess");
    expect("verify", &output, 1);
}
