// SPDX-License-Identifier: Apache-2.0
//! Makes the module of the checkout a module of the adapter.
use std::{env, fs, path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=ETL2PCAPNG_DIR");
    let folder = env::var("ETL2PCAPNG_DIR").unwrap_or_default();
    let module = Path::new(&folder).join("src").join("etl.rs");
    let Ok(module) = module.canonicalize() else {
        panic!("ETL2PCAPNG_DIR=\"{folder}\" is no checkout of etl2pcapng: it has no src/etl.rs");
    };
    let declaration = format!("#[allow(dead_code)] #[path = {module:?}] mod etl;\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap()).join("module.rs"), declaration).unwrap();
    println!("cargo:rustc-env=ETL2PCAPNG_VERSION={}", commit(&folder));
}

fn commit(folder: &str) -> String {
    let printed = Command::new("git").args(["-C", folder, "rev-parse", "--short", "HEAD"]).output();
    printed.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}
