//! What each program makes of a package.

use kitbag::check::ProfileSummary;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A map by profile, in the order of the profiles.
pub(super) struct Profiles<'a>(pub &'a [ProfileSummary]);

impl Serialize for Profiles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for summary in self.0 {
            map.serialize_entry(summary.profile, &Profile::of(summary))?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Profile<'a> {
    loads: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    because: &'a [String],
}

impl<'a> Profile<'a> {
    fn of(summary: &'a ProfileSummary) -> Self {
        Self {
            loads: summary.loads,
            name: summary.name.as_deref(),
            description: summary.description.as_deref(),
            because: &summary.because,
        }
    }
}
