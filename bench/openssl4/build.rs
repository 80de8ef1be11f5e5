//! Builds the OpenSSL 4.0 that the package `openssl-src` carries, and links it statically.
fn main() {
    openssl_src::Build::new().build().print_cargo_metadata();
}
