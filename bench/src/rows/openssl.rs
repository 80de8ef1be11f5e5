//! OpenSSL 4.0 through EVP, declared by hand (only what is called here).
use crate::Row;
use openssl4 as _;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

#[repr(C)]
#[derive(Clone, Copy)]
struct OsslParam {
    key: *const c_char,
    data_type: u32,
    data: *mut c_void,
    data_size: usize,
    return_size: usize,
}
unsafe extern "C" {
    fn EVP_PKEY_CTX_new_from_name(l: *mut c_void, n: *const c_char, p: *const c_char) -> *mut c_void;
    fn EVP_PKEY_CTX_new_from_pkey(l: *mut c_void, k: *mut c_void, p: *const c_char) -> *mut c_void;
    fn EVP_PKEY_CTX_free(c: *mut c_void);
    fn EVP_PKEY_CTX_set_params(c: *mut c_void, p: *const OsslParam) -> c_int;
    fn EVP_PKEY_keygen_init(c: *mut c_void) -> c_int;
    fn EVP_PKEY_generate(c: *mut c_void, k: *mut *mut c_void) -> c_int;
    fn EVP_PKEY_free(k: *mut c_void);
    fn EVP_PKEY_get_raw_public_key(k: *const c_void, b: *mut u8, n: *mut usize) -> c_int;
    fn EVP_PKEY_new_raw_public_key_ex(
        l: *mut c_void,
        n: *const c_char,
        p: *const c_char,
        b: *const u8,
        len: usize,
    ) -> *mut c_void;
    fn EVP_SIGNATURE_fetch(l: *mut c_void, n: *const c_char, p: *const c_char) -> *mut c_void;
    fn EVP_PKEY_sign_message_init(c: *mut c_void, a: *mut c_void, p: *const OsslParam) -> c_int;
    fn EVP_PKEY_sign(c: *mut c_void, s: *mut u8, n: *mut usize, m: *const u8, ml: usize) -> c_int;
    fn EVP_PKEY_verify_message_init(c: *mut c_void, a: *mut c_void, p: *const OsslParam) -> c_int;
    fn EVP_PKEY_verify(c: *mut c_void, s: *const u8, n: usize, m: *const u8, ml: usize) -> c_int;
    fn OpenSSL_version(t: c_int) -> *const c_char;
}
const OCTETS: u32 = 5;
const INT: u32 = 1;

struct Key {
    alg: &'static str,
    name: CString,
    n: usize, // seed bytes: 32 for ML-DSA, 3n for SLH-DSA
    a: *mut c_void,
    key: *mut c_void,
    sig_len: usize,
}

fn end() -> OsslParam {
    OsslParam { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 }
}

impl Key {
    fn verify_key(&self, key: *mut c_void, msg: &[u8], sig: &[u8]) -> bool {
        unsafe {
            let c = EVP_PKEY_CTX_new_from_pkey(null_mut(), key, null());
            assert_eq!(EVP_PKEY_verify_message_init(c, self.a, null()), 1);
            let r = EVP_PKEY_verify(c, sig.as_ptr(), sig.len(), msg.as_ptr(), msg.len());
            EVP_PKEY_CTX_free(c);
            r == 1
        }
    }
}

impl Row for Key {
    fn lib(&self) -> String {
        let v = unsafe { CStr::from_ptr(OpenSSL_version(0)) }.to_string_lossy().into_owned();
        v.split_whitespace().take(2).collect::<Vec<_>>().join("-").to_lowercase()
    }
    fn alg(&self) -> &'static str {
        self.alg
    }
    fn portable(&self) -> bool {
        false
    }
    fn keygen(&mut self, seed: [u8; 32]) {
        let mut s: Vec<u8> = seed.iter().copied().cycle().take(self.n).collect();
        unsafe {
            let c = EVP_PKEY_CTX_new_from_name(null_mut(), self.name.as_ptr(), null());
            assert_eq!(EVP_PKEY_keygen_init(c), 1);
            let p = [
                OsslParam {
                    key: c"seed".as_ptr(),
                    data_type: OCTETS,
                    data: s.as_mut_ptr().cast(),
                    data_size: s.len(),
                    return_size: usize::MAX,
                },
                end(),
            ];
            assert_eq!(EVP_PKEY_CTX_set_params(c, p.as_ptr()), 1);
            let mut k = null_mut();
            assert_eq!(EVP_PKEY_generate(c, &mut k), 1);
            EVP_PKEY_CTX_free(c);
            EVP_PKEY_free(self.key);
            self.key = k;
        }
    }
    fn sign(&self, msg: &[u8]) -> Vec<u8> {
        let mut out = vec![0u8; self.sig_len];
        let mut n = out.len();
        let mut one: c_int = 1;
        let p = [
            OsslParam {
                key: c"deterministic".as_ptr(),
                data_type: INT,
                data: (&raw mut one).cast(),
                data_size: 4,
                return_size: usize::MAX,
            },
            end(),
        ];
        unsafe {
            let c = EVP_PKEY_CTX_new_from_pkey(null_mut(), self.key, null());
            assert_eq!(EVP_PKEY_sign_message_init(c, self.a, p.as_ptr()), 1);
            assert_eq!(EVP_PKEY_sign(c, out.as_mut_ptr(), &mut n, msg.as_ptr(), msg.len()), 1);
            EVP_PKEY_CTX_free(c);
        }
        out.truncate(n);
        out
    }
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
        self.verify_key(self.key, msg, sig)
    }
    fn pk(&self) -> Vec<u8> {
        let mut v = vec![0u8; 4096];
        let mut n = v.len();
        assert_eq!(unsafe { EVP_PKEY_get_raw_public_key(self.key, v.as_mut_ptr(), &mut n) }, 1);
        v.truncate(n);
        v
    }
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        unsafe {
            let k =
                EVP_PKEY_new_raw_public_key_ex(null_mut(), self.name.as_ptr(), null(), pk.as_ptr(), pk.len());
            let r = self.verify_key(k, msg, sig);
            EVP_PKEY_free(k);
            r
        }
    }
}

pub fn rows() -> Vec<Box<dyn Row>> {
    let f = |alg: &'static str, n| -> Box<dyn Row> {
        let name = CString::new(alg).unwrap();
        let a = unsafe { EVP_SIGNATURE_fetch(null_mut(), name.as_ptr(), null()) };
        assert!(!a.is_null(), "{alg}");
        let mut k = Key { alg, name, n, a, key: null_mut(), sig_len: 50000 };
        k.keygen([0; 32]);
        Box::new(k)
    };
    vec![
        f("ML-DSA-44", 32),
        f("ML-DSA-65", 32),
        f("ML-DSA-87", 32),
        f("SLH-DSA-SHA2-128s", 48),
        f("SLH-DSA-SHA2-128f", 48),
        f("SLH-DSA-SHA2-192s", 72),
        f("SLH-DSA-SHA2-192f", 72),
        f("SLH-DSA-SHA2-256s", 96),
        f("SLH-DSA-SHA2-256f", 96),
        f("SLH-DSA-SHAKE-128s", 48),
        f("SLH-DSA-SHAKE-128f", 48),
        f("SLH-DSA-SHAKE-192s", 72),
        f("SLH-DSA-SHAKE-192f", 72),
        f("SLH-DSA-SHAKE-256s", 96),
        f("SLH-DSA-SHAKE-256f", 96),
    ]
}
