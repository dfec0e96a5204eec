//! What things are called inside.

use std::fs;
use std::path::{Path, PathBuf};

use super::{INPUT, OUTPUT, PACKAGE, PROJECT, Places, TEMP, WORK, Work};

/// What things are called inside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// By names of the sandbox's own: [`PACKAGE`], [`PROJECT`] and so on, on every host the same.
    #[default]
    Own,
    /// By the names they have on the host, where nothing can be called otherwise
    /// ([`Backend::Landlock`](crate::Backend::Landlock)). The run's own folders are made in this one, which is there and in
    /// which nobody else makes anything.
    OfHost(PathBuf),
}

/// What the symbolic folders of one run are called inside.
pub(super) struct Called {
    pub(super) package: PathBuf,
    pub(super) project: PathBuf,
    /// The input, and the folder that it is in.
    pub(super) input: PathBuf,
    pub(super) input_folder: PathBuf,
    /// The output.
    pub(super) output: PathBuf,
    /// The folder in memory that it is kept in, when it is not there yet.
    pub(super) output_folder: PathBuf,
    pub(super) work: PathBuf,
    pub(super) temp: PathBuf,
    is_own: bool,
}

impl Called {
    pub(super) fn of(places: &Places, names: &Names) -> Self {
        match names {
            Names::Own => Self {
                package: PACKAGE.into(),
                project: PROJECT.into(),
                input: within(INPUT.as_ref(), places.input.as_deref()),
                input_folder: INPUT.into(),
                output: within(OUTPUT.as_ref(), places.output.as_deref()),
                output_folder: OUTPUT.into(),
                work: WORK.into(),
                temp: TEMP.into(),
                is_own: true,
            },
            Names::OfHost(scratch) => {
                let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_missing| path.to_owned());
                let place = |place: &Option<PathBuf>| place.as_deref().map(real).unwrap_or_default();
                let scratch = real(scratch);
                let output_folder = scratch.join("output");
                let input = place(&places.input);
                Self {
                    package: real(&places.package),
                    project: place(&places.project),
                    input_folder: input.parent().map(Path::to_owned).unwrap_or_default(),
                    input,
                    output: match &places.output {
                        Some(output) if output.exists() => real(output),
                        output => within(&output_folder, output.as_deref()),
                    },
                    output_folder,
                    work: match &places.work {
                        Work::Folder(folder) => real(folder),
                        Work::Memory(_) => scratch.join("work"),
                    },
                    temp: scratch.join("tmp"),
                    is_own: false,
                }
            }
        }
    }

    /// What a further folder is called, which is `host` outside and `known` as a variable.
    pub(super) fn further(&self, known: &str, host: &Path) -> PathBuf {
        if self.is_own {
            Path::new("/").join(known.trim_start_matches('$').to_lowercase())
        } else {
            fs::canonicalize(host).unwrap_or_else(|_missing| host.to_owned())
        }
    }
}

/// The name inside of what is `host` outside, within the folder `folder`.
fn within(folder: &Path, host: Option<&Path>) -> PathBuf {
    match host.and_then(Path::file_name) {
        Some(name) => folder.join(name),
        None => folder.into(),
    }
}
