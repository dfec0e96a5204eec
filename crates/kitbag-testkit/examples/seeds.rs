//! Writes the seeds of every storm as files, `FOLDER/<storm>/<number>`, for a fuzzer to start from.

use std::path::PathBuf;
use std::{env, fs, io};

use kitbag_testkit::storm::STORMS;

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map_or_else(|| PathBuf::from("fuzz/corpus"), PathBuf::from);
    for storm in STORMS {
        let folder = folder.join(storm.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in (storm.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("{number:04}")), seed)?;
        }
    }
    Ok(())
}
