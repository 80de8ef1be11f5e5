//! The JSON Schema in `schema/results-1.schema.json` is that of the types.
use crate::results::Results;

/// Write the file anew with `PQSOC_WRITE=1 cargo test -p pqsoc-lab schema`.
#[test]
fn the_schema_is_that_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/results-1.schema.json");
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(Results)).unwrap() + "\n";
    if std::env::var_os("PQSOC_WRITE").is_some() {
        std::fs::write(path, &schema).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), schema, "see how to write it in src/schema.rs");
}
