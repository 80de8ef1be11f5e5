//! `pqsoc keygen`.
use super::distinct;
use crate::{
    cli::Keygen,
    failure::Failure,
    files::{Access, Output},
    policy::Policy,
    signing::random,
};
use pqsoc_keyfile::{PrivateKey, PublicKey};
use zeroize::Zeroizing;

pub fn run(options: &Keygen, policy: Policy) -> Result<(), Failure> {
    let algorithm = options.algorithm;
    policy.check("--algorithm", algorithm, None)?;
    if algorithm != algorithm.pure() && matches!(algorithm.scheme(), pqsoc_keyfile::Scheme::MlDsa(_)) {
        return Err(Failure::usage(format_args!(
            "--algorithm: RFC 9881 has no keys for {algorithm}; make one for {} and sign with --prehash",
            algorithm.set()
        )));
    }
    let outputs: Vec<_> = std::iter::once(&options.out).chain(&options.public).map(AsRef::as_ref).collect();
    distinct(&[], &outputs)?;

    let seed = match &options.seed_hex {
        Some(seed) => seed.0.clone(),
        None => {
            let mut seed = Zeroizing::new(vec![0; algorithm.sizes().seed]);
            random(&mut seed)?;
            seed
        }
    };
    // Whether the files can be written is known before the key exists.
    let der = options.write.der;
    let out = Output::create(&options.out, Access::Private, options.write.force)?.expect_text(!der)?;
    let public = match &options.public {
        Some(path) => Some(Output::create(path, Access::Public, options.write.force)?.expect_text(!der)?),
        None => None,
    };
    let key = PrivateKey::from_seed(algorithm, &seed)
        .map_err(|error| Failure::usage(format_args!("--seed-hex: {error}")))?;
    let key = match options.form {
        Some(form) => key.with_form(form).map_err(|error| Failure::usage(format_args!("--form: {error}")))?,
        None => key,
    };
    let pair = key.key_pair().map_err(|error| Failure::file(options.out.display(), error))?;
    if let Some(public) = public {
        public.write(&encode_public(&pair.public, der))?;
    }
    if der { out.write(&key.to_der()) } else { out.write(key.to_pem().as_bytes()) }
}

/// A public key file.
pub fn encode_public(key: &PublicKey, der: bool) -> Vec<u8> {
    if der { key.to_der() } else { key.to_pem().into_bytes() }
}
