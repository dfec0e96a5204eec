//! [`Authorise`]: how a host that sells or grants access lets its users fetch what is not for everybody (.adcap §12). What it
//! gives is a secret of one request: it is told to the host it was given for, and kept nowhere.

use std::fmt;

use kitbag_registry::fetch::SecretHeader;
use url::Url;

/// What an authorisation is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Purpose<'p> {
    /// The capability that names the content.
    pub capability: &'p str,
    /// The resource that it is or belongs to.
    pub resource: &'p str,
    /// What one must be entitled to.
    pub entitlement: &'p str,
    /// The address that will be asked.
    pub url: &'p Url,
}

/// What lets one request through.
#[derive(Clone)]
#[non_exhaustive]
pub enum Authorisation {
    /// These headers, told to the host of the address and to nobody it leads to elsewhere.
    Headers(Vec<SecretHeader>),
    /// Another address, which may work for a while only.
    Address(Url),
}

impl fmt::Debug for Authorisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Headers(headers) => f.debug_tuple("Headers").field(headers).finish(),
            Self::Address(url) => write!(f, "Address({}, …)", url.host_str().unwrap_or_default()),
        }
    }
}

/// Why there is no authorisation, in a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unauthorised(pub String);

/// Whoever obtains authorisations. Asked before each request to a mirror, so that what it gives may be short-lived.
pub trait Authorise: Send + Sync {
    /// What lets a request for `purpose` through.
    ///
    /// # Errors
    /// [`Unauthorised`], when nothing does; no other mirror is asked then.
    fn authorise(&self, purpose: &Purpose<'_>) -> Result<Authorisation, Unauthorised>;
}

/// Who obtains nothing, and says what would be needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Authorise for Nobody {
    fn authorise(&self, purpose: &Purpose<'_>) -> Result<Authorisation, Unauthorised> {
        let Purpose { capability, entitlement, .. } = purpose;
        let entitlement = entitlement.escape_debug();
        Err(Unauthorised(format!(
            "it is for those who hold the entitlement `{entitlement}` of {capability}; this program cannot prove that you do, a \
             host that issues it can"
        )))
    }
}
