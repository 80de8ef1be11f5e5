//! `pqsoc pubkey`.
use super::{distinct, keygen::encode_public, public_key};
use crate::{
    cli::Pubkey,
    failure::{Failure, name},
    files::{Access, Output},
    policy::Policy,
};

pub fn run(options: &Pubkey, policy: Policy) -> Result<(), Failure> {
    distinct(&[&options.key], &[&options.out])?;
    let key = public_key(&options.key)?;
    policy.check(&name(&options.key, "standard input"), key.algorithm(), None)?;
    let out = Output::create(&options.out, Access::Public, options.write.force)?;
    out.expect_text(!options.write.der)?.write(&encode_public(&key, options.write.der))
}
