//! M': FIPS 204, algorithms 2 to 5; FIPS 205, algorithms 22 to 25.
use crate::prehash::PreHash;
use core::fmt;

/// A context string: 0 to 255 bytes that bind a signature to a purpose. None and empty are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context<'a> {
    len: u8,
    bytes: &'a [u8],
}

/// A context of more than 255 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextTooLong {
    /// Its length in bytes.
    pub len: usize,
}

impl fmt::Display for ContextTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the context has {} bytes; at most 255 are allowed", self.len)
    }
}

impl core::error::Error for ContextTooLong {}

impl<'a> Context<'a> {
    /// No context, the same as an empty one.
    pub const EMPTY: Context<'static> = Context { len: 0, bytes: &[] };

    /// A context of at most 255 bytes.
    pub fn new(bytes: &'a [u8]) -> Result<Self, ContextTooLong> {
        let len = u8::try_from(bytes.len()).map_err(|_| ContextTooLong { len: bytes.len() })?;
        Ok(Self { len, bytes })
    }
}

impl<'a> TryFrom<&'a [u8]> for Context<'a> {
    type Error = ContextTooLong;

    fn try_from(bytes: &'a [u8]) -> Result<Self, ContextTooLong> {
        Self::new(bytes)
    }
}

/// A digest whose length is not that of the hash function it is said to come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestLength {
    /// The function.
    pub pre_hash: PreHash,
    /// The length given, in bytes.
    pub len: usize,
}

impl fmt::Display for DigestLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pre_hash, len } = self;
        write!(f, "a {pre_hash} digest has {} bytes, not {len}", pre_hash.digest_len())
    }
}

impl core::error::Error for DigestLength {}

/// The formatted message M', as pieces to hash one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Domain byte and length of the context; nothing for an M' that was given whole.
    header: ([u8; 2], bool),
    context: &'a [u8],
    oid: &'a [u8],
    body: &'a [u8],
}

impl<'a> Message<'a> {
    /// `0 || len(context) || context || message`. FIPS 204, algorithm 2, line 10; FIPS 205, algorithm 22, line 8.
    pub const fn pure(context: Context<'a>, message: &'a [u8]) -> Self {
        Self { header: ([0, context.len], true), context: context.bytes, oid: &[], body: message }
    }

    /// `1 || len(context) || context || OID || digest`. FIPS 204, algorithm 4, line 23; FIPS 205, algorithm 23,
    /// line 24. `digest` must have the length of the function, as it does not show in M'.
    pub fn pre_hashed(
        context: Context<'a>,
        pre_hash: PreHash,
        digest: &'a [u8],
    ) -> Result<Self, DigestLength> {
        if digest.len() != pre_hash.digest_len() {
            return Err(DigestLength { pre_hash, len: digest.len() });
        }
        Ok(Self {
            header: ([1, context.len], true),
            context: context.bytes,
            oid: pre_hash.oid_der(),
            body: digest,
        })
    }

    /// An M' that was formatted elsewhere: the message of the internal interface (FIPS 204, algorithms 7 and 8;
    /// FIPS 205, algorithms 19 and 20). For test vectors.
    pub const fn internal(m_prime: &'a [u8]) -> Self {
        Self { header: ([0; 2], false), context: &[], oid: &[], body: m_prime }
    }

    /// The pieces; M' is their concatenation.
    #[inline]
    pub fn parts(&self) -> [&[u8]; 4] {
        let header: &[u8] = if self.header.1 { &self.header.0 } else { &[] };
        [header, self.context, self.oid, self.body]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_lengths() {
        let long = [7; 300];
        for len in [0, 1, 255] {
            let context = Context::new(&long[..len]).unwrap();
            let message = Message::pure(context, b"m");
            let [header, ctx, oid, body] = message.parts();
            assert_eq!((header, ctx, oid, body), (&[0, len as u8][..], &long[..len], &[][..], &b"m"[..]));
        }
        for len in [256, 300] {
            assert_eq!(Context::new(&long[..len]), Err(ContextTooLong { len }));
        }
        assert_eq!(Context::new(&[]).unwrap(), Context::EMPTY);
        assert_eq!(Context::default(), Context::EMPTY);
    }

    #[test]
    fn digest_length_is_bound_to_the_function() {
        let digest = [1; 65];
        for pre_hash in PreHash::ALL {
            for len in 0..digest.len() {
                let message = Message::pre_hashed(Context::EMPTY, pre_hash, &digest[..len]);
                match message {
                    Ok(message) => {
                        assert_eq!(len, pre_hash.digest_len());
                        assert_eq!(message.parts(), [&[1, 0][..], &[], pre_hash.oid_der(), &digest[..len]]);
                    }
                    Err(error) => assert_eq!(error, DigestLength { pre_hash, len }),
                }
            }
        }
    }
}
