//! `pqsoc mu`.
use super::{distinct, public_key};
use crate::{
    cli::Mu,
    failure::{Failure, name},
    files::{Access, Output},
    message::Message,
    policy::Policy,
    signing::{self, Interface},
};
use pqsoc_keyfile::Scheme;

pub fn run(options: &Mu, policy: Policy) -> Result<(), Failure> {
    distinct(&[&options.key, &options.r#in], &[&options.out])?;
    let key_name = name(&options.key, "standard input");
    let key = public_key(&options.key)?;
    let interface = Interface::formatted(&options.formatting, &key_name, key.algorithm())?;
    policy.check(&key_name, key.algorithm(), interface.pre_hash())?;
    let Scheme::MlDsa(scheme) = key.algorithm().scheme() else {
        return Err(signing::no_mu(&key_name, key.algorithm()));
    };
    let message = Message::open(&options.r#in)?;
    let out = Output::create(&options.out, Access::Public, options.force)?.expect_text(false)?;
    out.write(signing::mu(scheme, key.as_bytes(), interface, &message)?.as_ref())
}
