//! The signatures as they are written (§11, §11.1): who signed more than once, which cannot be signatures at all, and
//! what nothing is known about. Whether a well-formed signature holds is for whoever has the keys; until then it is said
//! that it was not verified, so that no signature passes in silence.

use std::collections::BTreeMap;

use crate::finding::Place;
use crate::json::decode::Placed;
use crate::json::{Span, excerpt};

use super::super::codes;
use super::super::document::Signature;
use super::super::version::NEWEST;
use super::{Bounded, Subject, at};

/// Bytes of an Ed25519 public key.
const KEY_BYTES: usize = 32;
/// Bytes of an Ed25519 signature.
const SIGNATURE_BYTES: usize = 64;

/// Checks the signatures.
pub(super) fn check(subject: &Subject<'_>, out: &mut Bounded) {
    let signatures = subject.document.integrity.as_ref().map_or(&[][..], |integrity| &integrity.signatures);
    if signatures.is_empty() {
        return;
    }
    let list = at("integrity").join("signatures");
    for (signer, spans) in signers(signatures) {
        let Some(&second) = spans.get(1) else { continue };
        let message = format!("`{}` signed {} times", excerpt(&signer), spans.len());
        let finding = subject.finding(&codes::DUP_SIGNATURE, list.clone(), second, message);
        out.push(finding.related(Place::span(subject.file.clone(), spans[0]), "it signs here first"));
    }
    let mut report = |code, spans: &[Span], message: String| {
        let Some((first, others)) = spans.split_first() else { return };
        let mut finding = subject.finding(code, list.clone(), *first, message);
        for span in others.iter().take(20) {
            finding = finding.related(Place::span(subject.file.clone(), *span), "this one too");
        }
        out.push(finding);
    };
    let (mut broken, mut unverified, mut sigstore) = (Vec::new(), Vec::new(), Vec::new());
    for Placed { value, span } in signatures {
        match value {
            Signature::Ed25519 { key, signature } => {
                let key = key.split_once(':').map_or(&**key, |(_, key)| key);
                let is_whole = decoded_length(key) == Some(KEY_BYTES)
                    && decoded_length(signature) == Some(SIGNATURE_BYTES);
                if is_whole { unverified.push(*span) } else { broken.push(*span) }
            }
            Signature::Sigstore { .. } => sigstore.push(*span),
        }
    }
    let message = format!("a key must have {KEY_BYTES} bytes in base64 and its signature {SIGNATURE_BYTES}");
    report(&codes::SIGNATURE_INVALID, &broken, message);
    report(&codes::SIGSTORE_UNVERIFIED, &sigstore, "a Sigstore signature was not verified".to_owned());
    if subject.version < NEWEST {
        let all: Vec<Span> = signatures.iter().map(|placed| placed.span).collect();
        let message = format!("before version {NEWEST} the role of a signature is not signed");
        report(&codes::SIGNATURE_ROLE_UNSIGNED, &all, message);
    }
    report(&codes::SIGNATURE_UNVERIFIED, &unverified, "an Ed25519 signature was not verified".to_owned());
}

/// Where each signer signs, by signer. Staging and production are two signers.
fn signers(signatures: &[Placed<Signature>]) -> BTreeMap<String, Vec<Span>> {
    let mut signers: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    for Placed { value, span } in signatures {
        let signer = match value {
            Signature::Ed25519 { key, .. } => key.clone(),
            Signature::Sigstore { issuer, identity, staging } => {
                format!("{}:{issuer}|{identity}", if *staging { "sigstore-staging" } else { "sigstore" })
            }
        };
        signers.entry(signer).or_default().push(*span);
    }
    signers
}

/// How many bytes a base64 text stands for; characters outside the alphabet are passed over, and what follows the padding
/// is ignored. `None` where the padding does not come out even.
fn decoded_length(text: &str) -> Option<usize> {
    let (mut sixes, mut padding) = (0usize, 0usize);
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => {
                sixes += 1;
                padding = 0;
            }
            b'=' if sixes % 4 >= 2 => {
                padding += 1;
                if sixes % 4 + padding >= 4 {
                    return Some(sixes * 6 / 8);
                }
            }
            _ => {}
        }
    }
    (sixes % 4 == 0).then_some(sixes * 6 / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base64_text_stands_for_as_many_bytes_as_its_letters_say() {
        for (text, length) in [("QUFB", 3), ("QUE=", 2), ("QQ==", 1), ("Q-U F\nB", 3), ("QQ==QQ", 1), ("", 0)]
        {
            assert_eq!(decoded_length(text), Some(length), "{text:?}");
        }
        for text in ["Q", "QU", "QUF", "QUFBQ"] {
            assert_eq!(decoded_length(text), None, "{text:?}");
        }
        assert_eq!(decoded_length(&format!("{}=", "A".repeat(43))), Some(KEY_BYTES));
    }
}
