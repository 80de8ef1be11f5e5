//! Links OpenSSL 4.0 as built by `openssl-src`; the few declarations that are needed stand where they are used.
