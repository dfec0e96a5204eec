//! `fix`: wiring. What is fixed, and how, is tested in the library.

use std::fs;

use crate::{SOUND, kitbag, sound};

#[test]
fn a_sound_package_stays_as_it_is() {
    let folder = sound();
    let ran = kitbag(&folder, &["fix", "sound"]).ran();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(fs::read_to_string(folder.at("sound/SKILL.md")).unwrap(), SOUND);
    assert!(ran.stderr.starts_with("0 findings fixed, 0 errors are left"), "{}", ran.stderr);
}
