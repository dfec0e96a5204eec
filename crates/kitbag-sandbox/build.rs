//! Says once where there are sandboxes, for every `#[cfg(sandbox)]` of this crate.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(sandbox)");
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    // The filter of system calls has a table for each architecture.
    if target("OS") == "linux" && ["x86_64", "aarch64"].contains(&target("ARCH").as_str()) {
        println!("cargo::rustc-cfg=sandbox");
    }
}
