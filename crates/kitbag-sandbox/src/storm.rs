//! What the project's storms drive that is not public. Nobody else has a use for it, and it may change at any time.

/// Makes a plan of `bytes`, and of the plan what a backend would; does nothing where there is no sandbox.
///
/// # Panics
/// When what is made does not hold.
pub fn mount_plan(bytes: &[u8]) {
    #[cfg(sandbox)]
    let _came = crate::backend::tree_storm::weather(bytes);
    #[cfg(not(sandbox))]
    let _nothing = bytes;
}
