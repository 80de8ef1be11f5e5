//! The counts of hash calls that long runs are derived from are those of the library.
use pqsoc_lab::experiment::{Calls, keygen_calls, sign_calls};
use pqsoc_slhdsa::engine::{Engine, Node, Outcome, Sha2, Sha2Scalar, Shake, ShakeScalar};
use pqsoc_slhdsa::params::{Family, Scheme};
use pqsoc_slhdsa::{Address, AddressType, Context, Input, Message, Params, SigningKey};

/// An engine that counts what it passes on.
struct Counting<E> {
    inner: E,
    calls: Calls,
}

impl<E: Engine> Engine for Counting<E> {
    type Error = E::Error;
    type Lanes<T: Copy> = E::Lanes<T>;
    type Thash = E::Thash;

    fn begin(&mut self, params: &'static Params, pk_seed: &[u8], sk_seed: &[u8]) -> Outcome<Self> {
        self.inner.begin(params, pk_seed, sk_seed)
    }

    fn prf_msg(
        &mut self,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &dyn Input,
        r: &mut Node,
    ) -> Outcome<Self> {
        self.inner.prf_msg(sk_prf, opt_rand, message, r)
    }

    fn h_msg(&mut self, r: &Node, pk_root: &[u8], message: &dyn Input, digest: &mut [u8]) -> Outcome<Self> {
        self.inner.h_msg(r, pk_root, message, digest)
    }

    fn prf(&mut self, addresses: &[Address], out: &mut [Node]) -> Outcome<Self> {
        self.calls.prf += addresses.len() as u64;
        self.inner.prf(addresses, out)
    }

    fn f(&mut self, addresses: &[Address], nodes: &mut [Node]) -> Outcome<Self> {
        self.calls.f += addresses.len() as u64;
        self.inner.f(addresses, nodes)
    }

    fn h(&mut self, addresses: &[Address], left: &mut [Node], right: &[Node]) -> Outcome<Self> {
        self.calls.h += addresses.len() as u64;
        self.inner.h(addresses, left, right)
    }

    fn tl_start(&mut self, thash: &mut Self::Thash, addresses: &[Address]) -> Outcome<Self> {
        for address in addresses {
            // The type is the last byte of the fifth word. FIPS 205, section 4.2.
            if address.as_bytes()[19] == AddressType::WotsPk as u8 {
                self.calls.t_len += 1;
            } else {
                self.calls.t_k += 1;
            }
        }
        self.inner.tl_start(thash, addresses)
    }

    fn tl_absorb(&mut self, thash: &mut Self::Thash, nodes: &[Node]) -> Outcome<Self> {
        self.inner.tl_absorb(thash, nodes)
    }

    fn tl_finish(&mut self, thash: &mut Self::Thash, out: &mut [Node]) -> Outcome<Self> {
        self.inner.tl_finish(thash, out)
    }
}

/// Calls of key generation and of signing.
fn counted<E: Engine>(params: &'static Params, engine: E) -> [Calls; 2] {
    let mut engine = Counting { inner: engine, calls: Calls::default() };
    let seed = [7; 32];
    let seed = &seed[..params.n];
    let key = SigningKey::from_seeds_with(&mut engine, params, [seed; 3], &mut |_, _| {}).unwrap();
    let keygen = std::mem::take(&mut engine.calls);
    let mut signature = vec![0; params.signature_len()];
    let message = Message::pure(Context::EMPTY, b"message");
    key.sign_with(&mut engine, &message, None, &mut &mut signature[..], &mut |_, _| {}).unwrap();
    [keygen, engine.calls]
}

fn check(params: &'static Params) {
    let [keygen, sign] = match params.family {
        Family::Sha2 => counted(params, Sha2::<Sha2Scalar>::new()),
        Family::Shake => counted(params, Shake::<ShakeScalar>::new()),
    };
    assert_eq!(keygen, keygen_calls(params), "{params} key generation");
    assert_eq!(sign, sign_calls(params), "{params} signing");
}

#[test]
fn counts_of_the_fast_sets() {
    for params in pqsoc_slhdsa::params::ALL {
        if params.scheme == Scheme::SlhDsa && params.name.ends_with("128f") {
            check(params);
        }
    }
}

#[test]
#[ignore = "slow: signs with every set"]
fn counts_of_all_sets() {
    for params in pqsoc_slhdsa::params::ALL {
        check(params);
    }
}
