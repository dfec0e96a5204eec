//! Open-Science: any bytes as a Connector or a client's configuration, and as a ZIP that is believed.

use std::io::Cursor;

use kitbag_core::archive::InMemory;
use kitbag_core::finding::{Findings, Severity};
use kitbag_core::formats::openscience::bundle::{self, Outer};
use kitbag_core::formats::openscience::connector::client::{Client, configuration};
use kitbag_core::formats::openscience::connector::{self, Taken};
use kitbag_core::formats::openscience::specialist::{self, Content};
use kitbag_core::path::PackagePath;

/// Any bytes as a Connector template, or as the configuration of a client. What comes out is a template that reads back as
/// itself without an error, and every client can be told about it.
///
/// # Panics
/// When it does not.
pub fn connector(bytes: &[u8]) {
    let Ok(file) = PackagePath::new("connector.json") else { return };
    let read = |bytes: &[u8]| {
        let mut findings = Findings::default();
        let reading = connector::read(&file, bytes, &Taken::default(), &mut findings);
        (reading, findings)
    };
    let (reading, findings) = read(bytes);
    for finding in &findings {
        let end = finding.place.span.map_or(0, |span| span.end as usize);
        assert!(end <= bytes.len(), "{} lies outside of the document", finding.code.slug);
    }
    for template in reading.definitions {
        let document = connector::document(&template);
        let (again, findings) = read(document.as_bytes());
        assert_eq!(again.definitions, std::slice::from_ref(&template), "{document}");
        assert_eq!(findings.count(Severity::Error), 0, "{document}");
        for (_, client) in Client::ALL {
            assert!(configuration(&template, client, &file).value.text.ends_with('\n'));
        }
    }
}

/// Any bytes as the ZIP of a Specialist and as a bundle of Skills, read by readers that believe what it claims. Nothing comes
/// out that lies outside of a package, and nothing beyond its budget.
///
/// # Panics
/// When it does.
pub fn believed_zip(bytes: &[u8]) {
    let mut findings = Findings::default();
    let files = specialist::archive::files(&mut Cursor::new(bytes), &mut InMemory, &mut findings);
    if let Ok(Some(files)) = files {
        assert_eq!(findings.count(Severity::Error), 0, "a layer with an error has no files");
        assert!(files.len() <= specialist::FILES);
        assert!(files.iter().all(|(_, blob)| blob.len() <= specialist::FILE_BYTES));
        let _content = Content::read(&files, &mut findings);
    }
    if let Ok(Some(outer)) = Outer::read(&mut Cursor::new(bytes), &mut InMemory)
        && let Ok(preview) = bundle::preview(&outer, &mut InMemory)
    {
        for candidate in &preview.candidates {
            let climbs = |name: &str| name.contains('\\') || name.split('/').any(|segment| segment == "..");
            assert!(candidate.skill.files.iter().all(|(name, _)| !climbs(name)));
        }
    }
}
