//! `pqsoc sign`.
use super::{distinct, private_key};
use crate::{
    cli::Sign,
    failure::{Failure, name, say},
    files::{Access, Output},
    message::Message,
    policy::Policy,
    signing::{self, Interface, Randomness},
};
use pqsoc_keyfile::{Algorithm, Scheme};

pub fn run(options: &Sign, policy: Policy) -> Result<(), Failure> {
    distinct(&[&options.key, &options.r#in], &[&options.out])?;
    let key_name = name(&options.key, "standard input");
    let key = private_key(&options.key)?;
    let interface = Interface::new(&options.interface, &key_name, key.algorithm())?;
    policy.check(&key_name, key.algorithm(), interface.pre_hash())?;
    warn_of_weak_hash(key.algorithm(), interface);
    let pair = key.key_pair().map_err(|error| Failure::file(&key_name, error))?;
    let message = Message::open(&options.r#in)?;
    let out = Output::create(&options.out, Access::Public, options.force)?.expect_text(false)?;
    let randomness = if options.deterministic { Randomness::None } else { Randomness::System };
    out.write(&signing::sign(&pair, interface, &message, randomness)?)
}

/// FIPS 204, section 5.4, and FIPS 205, section 10.2: the digest should be as strong as the signature.
fn warn_of_weak_hash(algorithm: Algorithm, interface: Interface<'_>) {
    let strength = match algorithm.scheme() {
        Scheme::MlDsa(scheme) => 4 * scheme.params().c_tilde_len,
        Scheme::SlhDsa(params) => 8 * params.n,
    };
    if let Some(pre_hash) = interface.pre_hash()
        && pre_hash.collision_strength() < strength
    {
        say(format_args!(
            "warning: {pre_hash} resists collisions with {} bits only, less than the {strength} bits of {}",
            pre_hash.collision_strength(),
            algorithm.set()
        ));
    }
}
