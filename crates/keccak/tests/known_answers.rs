//! FIPS 202 against values published by NIST and the Keccak team.
use pqsoc_keccak::{ROUND_CONSTANTS, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};

#[test]
fn digests_of_nothing() {
    assert_eq!(
        hex::encode(Sha3_224::digest(&[])),
        "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7"
    );
    assert_eq!(
        hex::encode(Sha3_256::digest(&[])),
        "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"
    );
    assert_eq!(
        hex::encode(Sha3_384::digest(&[])),
        "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004"
    );
    assert_eq!(
        hex::encode(Sha3_512::digest(&[])),
        "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26"
    );
    let mut out = [0; 32];
    Shake128::digest(&[], &mut out);
    assert_eq!(hex::encode(out), "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26");
    Shake256::digest(&[], &mut out);
    assert_eq!(hex::encode(out), "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f");
}

#[test]
fn round_constants() {
    assert_eq!(ROUND_CONSTANTS[0], 1);
    assert_eq!(ROUND_CONSTANTS[1], 0x8082);
    assert_eq!(ROUND_CONSTANTS[23], 0x8000_0000_8000_8008);
}
