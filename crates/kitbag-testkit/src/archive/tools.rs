//! What the tools on this machine make of one sample folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cases::tool;

/// A folder with the shapes that tools write differently: long paths, names beyond ASCII, an empty file, a script.
#[derive(Debug)]
pub struct Sample {
    root: tempfile::TempDir,
}

/// One way to make an archive of the sample.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Its name in messages.
    pub name: &'static str,
    /// The program it needs.
    program: &'static str,
    /// A shell line, run beside the folder `sample`; writes the archive to `$OUT`.
    line: &'static str,
    /// The folder that the archive wraps everything in.
    pub wrapper: Option<&'static str>,
    /// Whether the file whose name no plain ustar can hold is left out.
    pub without_longest: bool,
}

const fn tar(name: &'static str, line: &'static str, wrapper: Option<&'static str>) -> Recipe {
    Recipe { name, program: "tar", line, wrapper, without_longest: false }
}

const fn python(name: &'static str, line: &'static str, wrapper: Option<&'static str>) -> Recipe {
    Recipe { name, program: "python3", line, wrapper, without_longest: false }
}

const ZIP64_FORCED: &str = "python3 - <<'END'
import os, zipfile
made = zipfile.ZipFile(os.environ['OUT'], 'w', zipfile.ZIP_DEFLATED)
for folder, _, names in os.walk('sample'):
    for name in names:
        path = os.path.join(folder, name)
        entry = zipfile.ZipInfo.from_file(path)
        entry.compress_type = zipfile.ZIP_DEFLATED
        with made.open(entry, 'w', force_zip64=True) as content:
            content.write(open(path, 'rb').read())
made.close()
END
";

/// Every recipe. Which of them can be followed depends on the machine.
pub const RECIPES: &[Recipe] = &[
    tar("tar of a folder", "tar -czf $OUT sample", Some("sample")),
    tar("tar of `.`", "tar -czf $OUT -C sample .", None),
    Recipe {
        without_longest: true,
        ..tar("tar, ustar", "tar --format=ustar --exclude='longlong*' -czf $OUT sample", Some("sample"))
    },
    tar("tar, pax", "tar --format=pax -czf $OUT sample", Some("sample")),
    tar("tar, gnu", "tar --format=gnu -czf $OUT sample", Some("sample")),
    tar("tar, oldgnu", "tar --format=oldgnu -czf $OUT sample", Some("sample")),
    tar("tar, not compressed", "tar -cf $OUT sample", Some("sample")),
    tar("tar, one block a record", "tar -b1 -cf $OUT sample", Some("sample")),
    tar("tar, extended attributes", "tar --xattrs --acls --selinux -czf $OUT sample", Some("sample")),
    tar(
        "tar, large owner",
        "tar --owner=big:3000000000 --group=big:3000000000 -czf $OUT sample",
        Some("sample"),
    ),
    tar("tar, gzip -9 by hand", "tar -cf - sample | gzip -9 > $OUT", Some("sample")),
    Recipe {
        name: "bsdtar",
        program: "bsdtar",
        line: "bsdtar -czf $OUT sample",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "bsdtar, pax",
        program: "bsdtar",
        line: "bsdtar --format=pax -czf $OUT sample",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "bsdtar, zip",
        program: "bsdtar",
        line: "bsdtar -acf $OUT.zip sample && mv $OUT.zip $OUT",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "git archive, tar.gz",
        program: "git",
        line: "cd sample && git -c init.defaultBranch=main init -q . && git add -A . && \
               git -c user.name=x -c user.email=x@example.org commit -qm x && \
               git archive --format=tar.gz --prefix=pkg-1/ -o $OUT HEAD; rm -rf .git",
        wrapper: Some("pkg-1"),
        without_longest: false,
    },
    Recipe {
        name: "git archive, zip",
        program: "git",
        line: "cd sample && git -c init.defaultBranch=main init -q . && git add -A . && \
               git -c user.name=x -c user.email=x@example.org commit -qm x && \
               git archive --format=zip -o $OUT HEAD; rm -rf .git",
        wrapper: None,
        without_longest: false,
    },
    Recipe {
        name: "zip of a folder",
        program: "zip",
        line: "zip -qr $OUT sample",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "zip of `.`, without folders",
        program: "zip",
        line: "cd sample && zip -qrD $OUT .",
        wrapper: None,
        without_longest: false,
    },
    Recipe {
        name: "zip, stored",
        program: "zip",
        line: "zip -qr0 $OUT sample",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "zip, streamed",
        program: "zip",
        line: "zip -qr - sample | cat > $OUT",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "zip, with descriptors",
        program: "zip",
        line: "zip -qr -fd $OUT sample",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "zip, zip64",
        program: "zip",
        line: "zip -qr -fz $OUT sample",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "zip, without extra fields",
        program: "zip",
        line: "zip -qrX $OUT sample",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "zip, with a comment",
        program: "zip",
        line: "echo 'a comment' | zip -qrz $OUT sample",
        wrapper: Some("sample"),
        without_longest: false,
    },
    Recipe {
        name: "zip, updated",
        program: "zip",
        line: "zip -qr $OUT sample && touch -d '+1 hour' sample/SKILL.md && zip -qru $OUT sample",
        wrapper: Some("sample"),
        without_longest: false,
    },
    python("python, tar", "python3 -m tarfile -c $OUT.tgz sample && mv $OUT.tgz $OUT", Some("sample")),
    python(
        "python, tar in pax form",
        "python3 -c 'import os,tarfile; t=tarfile.open(os.environ[\"OUT\"],\"w:gz\"); t.add(\"sample\",\"\"); t.close()'",
        None,
    ),
    python(
        "python, tar in gnu form",
        "python3 -c 'import os,tarfile; t=tarfile.open(os.environ[\"OUT\"],\"w:gz\",format=tarfile.GNU_FORMAT); t.add(\"sample\"); t.close()'",
        Some("sample"),
    ),
    python("python, zip", "python3 -m zipfile -c $OUT sample", Some("sample")),
    python(
        "python, make_archive zip",
        "python3 -c 'import os,shutil; shutil.make_archive(\"made\",\"zip\",\"sample\"); os.rename(\"made.zip\",os.environ[\"OUT\"])'",
        None,
    ),
    python(
        "python, make_archive tar",
        "python3 -c 'import os,shutil; shutil.make_archive(\"made\",\"gztar\",\"sample\"); os.rename(\"made.tar.gz\",os.environ[\"OUT\"])'",
        None,
    ),
    python(
        "python, zip to a pipe",
        "python3 -c 'import os,sys,zipfile; z=zipfile.ZipFile(sys.stdout.buffer,\"w\",zipfile.ZIP_DEFLATED); \
         [z.write(os.path.join(d,f)) for d,_,fs in os.walk(\"sample\") for f in fs]; z.close()' | cat > $OUT",
        Some("sample"),
    ),
    python("python, zip with zip64 forced", ZIP64_FORCED, Some("sample")),
    Recipe {
        name: "7z, zip",
        program: "7z",
        line: "7z a -tzip -bso0 $OUT.zip sample && mv $OUT.zip $OUT",
        wrapper: Some("sample"),
        without_longest: false,
    },
];

impl Sample {
    /// Writes the folder.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        let folder = root.path().join("sample");
        let deep = "a-folder-with-a-rather-long-name/".repeat(4);
        let mut files: Vec<(String, Vec<u8>)> = vec![
            ("SKILL.md".into(), b"---\nname: sample\ndescription: Reads. Use when reading.\n---\n".to_vec()),
            ("empty".into(), Vec::new()),
            ("references/grüße-技能.md".into(), "Grüße\n".repeat(400).into_bytes()),
            ("scripts/run.sh".into(), b"#!/bin/sh\necho ok\n".to_vec()),
            (format!("{deep}deep.txt"), b"deep\n".to_vec()),
            (format!("{}.txt", "long".repeat(40)), vec![b'x'; 512]),
            ("a,b c's (1)&2.txt".into(), vec![0; 100_000]),
        ];
        let mut seed = 1u64;
        let noise = std::iter::repeat_with(|| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed.to_le_bytes()[3]
        });
        files.push(("assets/noise.bin".into(), noise.take(150_001).collect()));
        for (path, bytes) in files {
            let file = folder.join(path);
            let parent = file.parent().expect("a joined path has a parent");
            fs::create_dir_all(parent).expect("folders can be made");
            fs::write(&file, bytes).expect("files can be written");
        }
        fs::create_dir(folder.join("hollow")).expect("folders can be made");
        make_executable(&folder.join("scripts/run.sh"));
        Self { root }
    }

    /// The archive that `recipe` makes; `None`, and said, when its program is not here.
    ///
    /// # Panics
    /// When the program is here and fails, or is not and `KITBAG_TOOLS` requires it.
    #[must_use]
    pub fn pack(&self, recipe: &Recipe) -> Option<Vec<u8>> {
        if !tool(recipe.program) {
            return None;
        }
        let out = self.root.path().join("made.archive");
        let done = Command::new("sh")
            .args(["-ec", recipe.line])
            .current_dir(self.root.path())
            .env("OUT", &out)
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .expect("a shell that was found starts");
        assert!(
            done.status.success(),
            "{}: {}{}",
            recipe.name,
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        );
        let bytes = fs::read(&out).expect("the tool wrote its archive");
        fs::remove_file(&out).expect("the archive can be removed");
        Some(bytes)
    }

    /// Every file that the archive of `recipe` must hold, with its content and whether it is executable.
    ///
    /// # Panics
    /// When the folder cannot be read.
    #[must_use]
    pub fn files(&self, recipe: &Recipe) -> BTreeMap<String, (Vec<u8>, bool)> {
        let root = self.root.path().join("sample");
        let mut found = BTreeMap::new();
        let mut todo = vec![root.clone()];
        while let Some(folder) = todo.pop() {
            for entry in fs::read_dir(&folder).expect("the sample can be listed") {
                let path: PathBuf = entry.expect("the sample can be listed").path();
                if path.is_dir() {
                    todo.push(path);
                    continue;
                }
                let below = path.strip_prefix(&root).expect("it was found below the root");
                let name = below.to_str().expect("the sample's names are UTF-8").replace('\\', "/");
                let bytes = fs::read(&path).expect("the sample can be read");
                found.insert(name, (bytes, is_executable(&path)));
            }
        }
        if recipe.without_longest {
            found.retain(|name, _| !name.starts_with("longlong"));
        }
        found
    }
}

impl Default for Sample {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(unix)]
fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("a mode can be set");
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) {}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    false
}
