//! What several verbs take: paths, standard input, profiles. The only reader of standard input.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use kitbag::check;
use kitbag::read::Source;
use kitbag_core::formats::agentskill::profile::PROFILES;
use kitbag_core::limits::{self, Limits};

use crate::failure::{Failure, Kind};

/// Where `path` leads: `-` is standard input, judged under `name`, or under what its content looks like.
pub fn source(path: PathBuf, name: Option<&str>) -> Result<Source, Failure> {
    if path.as_os_str() != "-" {
        return Ok(Source::Path(path));
    }
    Ok(Source::Document { name: name.map(str::to_owned), bytes: all()? })
}

/// Everything that standard input has.
pub fn all() -> Result<Vec<u8>, Failure> {
    let max = Limits::LOOSEST.document_bytes;
    #[expect(clippy::disallowed_methods, reason = "this is the room that owns standard input")]
    let mut input = std::io::stdin().lock();
    limits::read_bounded(&mut input, 0, max)
        .map_err(|error| Failure::new(Kind::Input, format!("cannot read standard input: {error}")))
}

/// The sources of several paths, of which at most one may be standard input.
pub fn sources(paths: Vec<PathBuf>, name: Option<&str>) -> Result<Vec<Source>, Failure> {
    if paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::new(Kind::Usage, "standard input (`-`) can be read only once"));
    }
    paths.into_iter().map(|path| source(path, name)).collect()
}

fn names() -> PossibleValuesParser {
    let names = PROFILES.iter().map(|profile| PossibleValue::new(profile.name).help(profile.about));
    PossibleValuesParser::new(names)
}

/// Which programs' readings to report.
#[derive(Debug, clap::Args)]
pub struct Profiles {
    /// Programs whose reading to report, separated by commas; without it, all
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = names())]
    profile: Vec<String>,
}

impl Profiles {
    /// The profiles that were named, or all of them.
    pub fn wanted(self) -> Result<check::Profiles, Failure> {
        if self.profile.is_empty() {
            return Ok(check::Profiles::All);
        }
        check::Profiles::only(self.profile).map_err(|error| Failure::new(Kind::Usage, error))
    }
}
