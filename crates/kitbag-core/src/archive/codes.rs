//! Every reason to refuse an archive, and what is worth saying about one that is read.

use crate::finding::{Code, Grade, Severity};

/// Every code of this room, in the order of this file.
pub static CODES: &[&Code] = &[
    &UNKNOWN,
    &TRUNCATED,
    &TRAILING_DATA,
    &CHECKSUM,
    &DEFLATE,
    &ARCHIVE_TOO_LARGE,
    &TOO_MANY_ENTRIES,
    &FILE_TOO_LARGE,
    &TOTAL_TOO_LARGE,
    &RATIO,
    &NAMES_TOO_LONG,
    &PATH_ABSOLUTE,
    &PATH_DRIVE,
    &PATH_TRAVERSAL,
    &PATH_BACKSLASH,
    &PATH_CONTROL,
    &PATH_EMPTY_SEGMENT,
    &PATH_TOO_LONG,
    &PATH_TOO_DEEP,
    &PATH_DEVICE,
    &PATH_INSIDE_FILE,
    &DUPLICATE_PATH,
    &NAME_NOT_UTF8,
    &HARD_LINK,
    &ENTRY_KIND,
    &NOT_A_FILE,
    &GZIP_HEADER,
    &GZIP_LENGTH,
    &GZIP_MEMBERS,
    &TAR_MAGIC,
    &TAR_CHECKSUM,
    &TAR_NUMBER,
    &TAR_FIELD,
    &TAR_SIZE,
    &TAR_PADDING,
    &TAR_END,
    &TAR_EXTENSION,
    &EXTENSION_TOO_LARGE,
    &EXTENSION_ORDER,
    &PAX_RECORD,
    &PAX_KEY,
    &PAX_SIZE,
    &ZIP_TWO_ENDS,
    &ZIP_DISKS,
    &ZIP64,
    &ZIP_DIRECTORY,
    &ZIP_PREFIX,
    &ZIP_GAP,
    &ZIP_OVERLAP,
    &ZIP_LOCAL,
    &ZIP_DISAGREE,
    &ZIP_ENCRYPTED,
    &ZIP_FLAGS,
    &ZIP_METHOD,
    &ZIP_EXTRA,
    &ZIP_UNICODE_PATH,
    &ZIP_DESCRIPTOR,
    &ZIP_SIZE,
    &ZIP_KIND,
    &NAME_ENCODING,
    &NAME_UNPORTABLE,
];

const fn code(
    severity: Severity,
    slug: &'static str,
    clause: &'static str,
    summary: &'static str,
    why: &'static str,
    help: &'static str,
) -> Code {
    Code { slug, grade: Grade::Always(severity), clause, summary, why, help }
}

const fn refusal(
    slug: &'static str,
    clause: &'static str,
    summary: &'static str,
    why: &'static str,
    help: &'static str,
) -> Code {
    code(Severity::Error, slug, clause, summary, why, help)
}

/// The file is no archive that kitbag reads.
pub static UNKNOWN: Code = refusal(
    "archive/unknown",
    "kitbag",
    "The file is no archive that kitbag reads.",
    "Nothing was unpacked, so nothing was checked.",
    "Pack the folder as .zip or .tar.gz; kitbag goes by the content, not by the name.",
);

/// The archive ends before its own end.
pub static TRUNCATED: Code = refusal(
    "archive/truncated",
    "kitbag",
    "The archive ends before its own end.",
    "What is missing was not checked.",
    "Fetch or build the archive again.",
);

/// Bytes follow the end of the archive.
pub static TRAILING_DATA: Code = refusal(
    "archive/trailing-data",
    "kitbag",
    "Bytes follow the end of the archive.",
    "No digest of the contents covers them, and some programs read on where others stop.",
    "Pack the folder again with a current tool.",
);

/// A content does not have the checksum that is stored with it.
pub static CHECKSUM: Code = refusal(
    "archive/checksum",
    "kitbag",
    "A content does not have the checksum that is stored with it.",
    "The archive was damaged or changed after it was made.",
    "Fetch or build the archive again.",
);

/// Compressed bytes are not valid deflate.
pub static DEFLATE: Code = refusal(
    "archive/deflate",
    "kitbag",
    "Compressed bytes are not valid deflate.",
    "The content cannot be had.",
    "Fetch or build the archive again.",
);

/// The archive is larger than any package may be.
pub static ARCHIVE_TOO_LARGE: Code = refusal(
    "archive/too-large",
    "kitbag",
    "The archive is larger than any package may be.",
    "A reader that accepts any size can be made to run out of space.",
    "Remove what is not part of the package, and load large data from elsewhere.",
);

/// The archive holds more entries than any package may.
pub static TOO_MANY_ENTRIES: Code = refusal(
    "archive/too-many-entries",
    "kitbag",
    "The archive holds more entries than any package may.",
    "Each entry costs memory and time of everybody who installs the package.",
    "Remove what is not part of the package.",
);

/// A file in the archive is larger than any package's may be.
pub static FILE_TOO_LARGE: Code = refusal(
    "archive/file-too-large",
    "kitbag",
    "A file in the archive is larger than any package's may be.",
    "A small archive can unpack to more than a disk holds.",
    "Remove the file, or load it from elsewhere.",
);

/// The archive unpacks to more than any package may.
pub static TOTAL_TOO_LARGE: Code = refusal(
    "archive/unpacks-too-large",
    "kitbag",
    "The archive unpacks to more than any package may.",
    "A small archive can unpack to more than a disk holds.",
    "Remove what is not part of the package.",
);

/// The archive unpacks to far more than it is.
pub static RATIO: Code = refusal(
    "archive/ratio",
    "kitbag",
    "The archive unpacks to far more than it is.",
    "Archives made to exhaust whoever unpacks them look like this; packages do not.",
    "Remove the file that is nothing but repetition.",
);

/// The names in the archive are too long, all together.
pub static NAMES_TOO_LONG: Code = refusal(
    "archive/names-too-long",
    "kitbag",
    "The names in the archive are too long, all together.",
    "A reader must hold all names at once.",
    "Use shorter names and fewer folders.",
);

/// An entry's path begins with a slash.
pub static PATH_ABSOLUTE: Code = refusal(
    "archive/path-absolute",
    "kitbag",
    "An entry's path begins with a slash.",
    "Unpacked as it says, the file lands anywhere on the disk.",
    "Pack with paths relative to the folder of the package.",
);

/// An entry's path begins with a drive letter.
pub static PATH_DRIVE: Code = refusal(
    "archive/path-drive",
    "kitbag",
    "An entry's path begins with a drive letter.",
    "On Windows the file lands anywhere on that drive.",
    "Pack with paths relative to the folder of the package.",
);

/// An entry's path has a `.` or `..` segment.
pub static PATH_TRAVERSAL: Code = refusal(
    "archive/path-traversal",
    "kitbag",
    "An entry's path has a `.` or `..` segment.",
    "The file may land outside the folder it is unpacked to.",
    "Pack from inside the folder, so that paths need no dots.",
);

/// An entry's path has a backslash.
pub static PATH_BACKSLASH: Code = refusal(
    "archive/path-backslash",
    "kitbag",
    "An entry's path has a backslash.",
    "It separates folders on Windows and is part of the name elsewhere, so programs unpack different files.",
    "Pack with a tool that writes `/`, or rename the file.",
);

/// An entry's path has a control character.
pub static PATH_CONTROL: Code = refusal(
    "archive/path-control",
    "kitbag",
    "An entry's path has a control character.",
    "It can hide a name in a listing or drive a terminal.",
    "Rename the file and pack again.",
);

/// An entry's path is empty or has an empty segment.
pub static PATH_EMPTY_SEGMENT: Code = refusal(
    "archive/path-empty-segment",
    "kitbag",
    "An entry's path is empty or has an empty segment.",
    "Programs make different paths of it.",
    "Rename the file and pack again.",
);

/// An entry's path or link target is too long.
pub static PATH_TOO_LONG: Code = refusal(
    "archive/path-too-long",
    "kitbag",
    "An entry's path or link target is too long.",
    "No system can store it.",
    "Use shorter names and fewer folders.",
);

/// An entry lies too many folders deep.
pub static PATH_TOO_DEEP: Code = refusal(
    "archive/path-too-deep",
    "kitbag",
    "An entry lies too many folders deep.",
    "Deep trees exhaust programs that walk them, and Windows cannot store them.",
    "Use fewer folders.",
);

/// An entry has a name that Windows reserves for a device.
pub static PATH_DEVICE: Code = refusal(
    "archive/path-device",
    "kitbag",
    "An entry has a name that Windows reserves for a device.",
    "Opening it there talks to the device.",
    "Rename the file and pack again.",
);

/// An entry lies inside another entry that is no folder.
pub static PATH_INSIDE_FILE: Code = refusal(
    "archive/path-inside-file",
    "kitbag",
    "An entry lies inside another entry that is no folder.",
    "If the other is a link, the file lands wherever the link points.",
    "Remove one of the two and pack again.",
);

/// Two entries have the same path.
pub static DUPLICATE_PATH: Code = refusal(
    "archive/duplicate-path",
    "kitbag",
    "Two entries have the same path.",
    "Some programs keep the first and some the last, so what is checked is not what is installed.",
    "Remove one of the two and pack again.",
);

/// An entry's name is not UTF-8.
pub static NAME_NOT_UTF8: Code = refusal(
    "archive/name-not-utf8",
    "kitbag",
    "An entry's name is not UTF-8.",
    "Programs make different names of it, and no package format can name it.",
    "Rename the file and pack again.",
);

/// An entry is a hard link.
pub static HARD_LINK: Code = refusal(
    "archive/hard-link",
    "POSIX.1-1988 ustar",
    "An entry is a hard link.",
    "It can reach a file outside the package, and it has no content that could be checked.",
    "Pack copies: `tar --hard-dereference`, or copy the folder first.",
);

/// An entry is of a kind that no package needs: sparse, multi-volume, a label.
pub static ENTRY_KIND: Code = refusal(
    "archive/entry-kind",
    "POSIX.1-1988 ustar",
    "An entry is of a kind that no package needs: sparse, multi-volume, a label.",
    "Programs read its content differently.",
    "Pack again without sparse files, labels and volumes.",
);

/// An entry is no regular file, and this format allows only those.
pub static NOT_A_FILE: Code = refusal(
    "archive/not-a-file",
    "kitbag",
    "An entry is no regular file, and this format allows only those.",
    "A link or device unpacks to something nobody checked.",
    "Remove it from the package.",
);

/// The gzip header is not a legal one.
pub static GZIP_HEADER: Code = refusal(
    "archive/gzip-header",
    "RFC 1952",
    "The gzip header is not a legal one.",
    "Programs would start reading at different bytes.",
    "Pack the folder again with a current tool.",
);

/// The length at the end of the gzip is not that of its content.
pub static GZIP_LENGTH: Code = refusal(
    "archive/gzip-length",
    "RFC 1952",
    "The length at the end of the gzip is not that of its content.",
    "The archive was damaged or changed after it was made.",
    "Fetch or build the archive again.",
);

/// A second gzip member follows the first.
pub static GZIP_MEMBERS: Code = refusal(
    "archive/gzip-members",
    "RFC 1952",
    "A second gzip member follows the first.",
    "Some programs read on and some stop, so they see different packages.",
    "Pack into one gzip: `tar -czf`.",
);

/// A tar header is not a ustar header.
pub static TAR_MAGIC: Code = refusal(
    "archive/tar-magic",
    "POSIX.1-1988 ustar",
    "A tar header is not a ustar header.",
    "What cannot be told apart from damage is not read.",
    "Pack with a current tar.",
);

/// A tar header does not have the checksum it says.
pub static TAR_CHECKSUM: Code = refusal(
    "archive/tar-checksum",
    "POSIX.1-1988 ustar",
    "A tar header does not have the checksum it says.",
    "The header was damaged or changed, so where the next one is cannot be known.",
    "Fetch or build the archive again.",
);

/// A number in a tar header is not octal.
pub static TAR_NUMBER: Code = refusal(
    "archive/tar-number",
    "POSIX.1-1988 ustar",
    "A number in a tar header is not octal.",
    "Programs read other notations differently, and a size decides where the next header is.",
    "Pack with a current tar; files over 8 GiB do not fit.",
);

/// A tar header has bytes where there must be none.
pub static TAR_FIELD: Code = refusal(
    "archive/tar-field",
    "POSIX.1-1988 ustar",
    "A tar header has bytes where there must be none.",
    "Some programs take them for a part of the name.",
    "Pack with a current tar.",
);

/// An entry without content claims a size.
pub static TAR_SIZE: Code = refusal(
    "archive/tar-size",
    "POSIX.1-1988 ustar",
    "An entry without content claims a size.",
    "Some programs skip that many bytes and some do not, so they see different entries.",
    "Pack the folder again with a current tool.",
);

/// The padding behind a content is not zero.
pub static TAR_PADDING: Code = refusal(
    "archive/tar-padding",
    "POSIX.1-1988 ustar",
    "The padding behind a content is not zero.",
    "Bytes that no digest covers can carry anything.",
    "Pack the folder again with a current tool.",
);

/// The tar does not end with two blocks of zeros.
pub static TAR_END: Code = refusal(
    "archive/tar-end",
    "POSIX.1-1988 ustar",
    "The tar does not end with two blocks of zeros.",
    "It may have been cut off, or hold entries that some programs do not see.",
    "Pack the folder again with a current tool.",
);

/// A pax or GNU extension record is in the tar, and this format allows none.
pub static TAR_EXTENSION: Code = refusal(
    "archive/tar-extension",
    "POSIX.1-1988 ustar",
    "A pax or GNU extension record is in the tar, and this format allows none.",
    "Extension records change the name or the size of the next entry.",
    "Pack with plain ustar headers: `tar --format=ustar`.",
);

/// A tar extension record is too large.
pub static EXTENSION_TOO_LARGE: Code = refusal(
    "archive/tar-extension-too-large",
    "POSIX.1-2001 pax",
    "A tar extension record is too large.",
    "It is held in memory before it is understood.",
    "Pack without extended attributes: `tar --no-xattrs`.",
);

/// Extension records stand where they contradict each other or belong to nothing.
pub static EXTENSION_ORDER: Code = refusal(
    "archive/tar-extension-order",
    "POSIX.1-2001 pax",
    "Extension records stand where they contradict each other or belong to nothing.",
    "Programs apply different ones.",
    "Pack the folder again with a current tool.",
);

/// A pax record is malformed or there twice.
pub static PAX_RECORD: Code = refusal(
    "archive/pax-record",
    "POSIX.1-2001 pax",
    "A pax record is malformed or there twice.",
    "Programs recover from it differently.",
    "Pack the folder again with a current tool.",
);

/// A pax record has a key that changes how an entry is read.
pub static PAX_KEY: Code = refusal(
    "archive/pax-key",
    "POSIX.1-2001 pax",
    "A pax record has a key that changes how an entry is read.",
    "Programs that do not know the key read another entry.",
    "Pack without sparse files and without options that add pax keys.",
);

/// A pax record gives an entry another size than its header.
pub static PAX_SIZE: Code = refusal(
    "archive/pax-size",
    "POSIX.1-2001 pax",
    "A pax record gives an entry another size than its header.",
    "Programs look for the next header at different bytes, and see different entries.",
    "Pack the folder again with a current tool.",
);

/// The zip has two ends.
pub static ZIP_TWO_ENDS: Code = refusal(
    "archive/zip-two-ends",
    "APPNOTE 6.3 §4.3.16",
    "The zip has two ends.",
    "Each end names a directory of its own, and programs choose differently.",
    "Pack the folder again with a current tool.",
);

/// The zip spans several files.
pub static ZIP_DISKS: Code = refusal(
    "archive/zip-disks",
    "APPNOTE 6.3 §4.4.3",
    "The zip spans several files.",
    "The rest is not here.",
    "Pack into one file.",
);

/// The zip64 records contradict the others.
pub static ZIP64: Code = refusal(
    "archive/zip64",
    "APPNOTE 6.3 §4.3.14",
    "The zip64 records contradict the others.",
    "Programs with and without zip64 see different entries.",
    "Pack the folder again with a current tool.",
);

/// The directory of the zip is not what its end says.
pub static ZIP_DIRECTORY: Code = refusal(
    "archive/zip-directory",
    "APPNOTE 6.3 §4.3.12",
    "The directory of the zip is not what its end says.",
    "Programs see different entries.",
    "Pack the folder again with a current tool.",
);

/// Bytes stand before the first entry of the zip.
pub static ZIP_PREFIX: Code = refusal(
    "archive/zip-prefix",
    "APPNOTE 6.3 §4.3.6",
    "Bytes stand before the first entry of the zip.",
    "They are a program in a self-extracting zip, and can be a second archive for readers that start at the front.",
    "Pack as a plain zip.",
);

/// Bytes of the zip belong to no entry.
pub static ZIP_GAP: Code = refusal(
    "archive/zip-gap",
    "APPNOTE 6.3 §4.3.6",
    "Bytes of the zip belong to no entry.",
    "Readers that go from entry to entry find things there that the directory does not name.",
    "Pack the folder again with a current tool.",
);

/// Entries of the zip overlap.
pub static ZIP_OVERLAP: Code = refusal(
    "archive/zip-overlap",
    "APPNOTE 6.3 §4.3.6",
    "Entries of the zip overlap.",
    "Thousands of entries can share one content, so that a small zip unpacks to more than a disk holds.",
    "Pack the folder again with a current tool.",
);

/// An entry of the zip has no local header where the directory says.
pub static ZIP_LOCAL: Code = refusal(
    "archive/zip-local",
    "APPNOTE 6.3 §4.3.7",
    "An entry of the zip has no local header where the directory says.",
    "Its content cannot be found.",
    "Fetch or build the archive again.",
);

/// The directory and the local header of an entry disagree.
pub static ZIP_DISAGREE: Code = refusal(
    "archive/zip-disagree",
    "APPNOTE 6.3 §4.4",
    "The directory and the local header of an entry disagree.",
    "Programs that go by one unpack something else than programs that go by the other.",
    "Pack the folder again with a current tool.",
);

/// An entry is encrypted.
pub static ZIP_ENCRYPTED: Code = refusal(
    "archive/zip-encrypted",
    "APPNOTE 6.3 §4.4.4",
    "An entry is encrypted.",
    "What cannot be read cannot be checked.",
    "Pack without a password.",
);

/// An entry has flags that no plain zip has.
pub static ZIP_FLAGS: Code = refusal(
    "archive/zip-flags",
    "APPNOTE 6.3 §4.4.4",
    "An entry has flags that no plain zip has.",
    "They change how the content is to be read.",
    "Pack the folder again with a current tool.",
);

/// An entry is compressed by another method than deflate.
pub static ZIP_METHOD: Code = refusal(
    "archive/zip-method",
    "APPNOTE 6.3 §4.4.5",
    "An entry is compressed by another method than deflate.",
    "Most programs cannot unpack it.",
    "Pack with deflate, which is every tool's default.",
);

/// The extra fields of an entry are malformed or there twice.
pub static ZIP_EXTRA: Code = refusal(
    "archive/zip-extra",
    "APPNOTE 6.3 §4.5",
    "The extra fields of an entry are malformed or there twice.",
    "Programs take sizes and names from different ones.",
    "Pack the folder again with a current tool.",
);

/// The Unicode path field gives an entry another name.
pub static ZIP_UNICODE_PATH: Code = refusal(
    "archive/zip-unicode-path",
    "APPNOTE 6.3 §4.6.9",
    "The Unicode path field gives an entry another name.",
    "Programs that know the field and programs that do not unpack different files.",
    "Pack the folder again with a current tool.",
);

/// The data descriptor behind a content is missing or says something else.
pub static ZIP_DESCRIPTOR: Code = refusal(
    "archive/zip-descriptor",
    "APPNOTE 6.3 §4.3.9",
    "The data descriptor behind a content is missing or says something else.",
    "Readers that go from entry to entry see other contents than those that use the directory.",
    "Pack the folder again with a current tool.",
);

/// A content is longer or shorter than its entry claims.
pub static ZIP_SIZE: Code = refusal(
    "archive/zip-size",
    "APPNOTE 6.3 §4.4.8",
    "A content is longer or shorter than its entry claims.",
    "Programs that trust the claim reserve or cut the wrong amount.",
    "Pack the folder again with a current tool.",
);

/// The name and the attributes of an entry disagree on what it is.
pub static ZIP_KIND: Code = refusal(
    "archive/zip-kind",
    "APPNOTE 6.3 §4.4.15",
    "The name and the attributes of an entry disagree on what it is.",
    "Some programs make a folder of it and some a file.",
    "Pack the folder again with a current tool.",
);

/// Names are not ASCII and not marked as UTF-8.
pub static NAME_ENCODING: Code = code(
    Severity::Warning,
    "archive/name-encoding",
    "APPNOTE 6.3 Appendix D",
    "Names are not ASCII and not marked as UTF-8.",
    "Programs that follow the old rule take the bytes for code page 437 and unpack other names.",
    "Pack with a tool that sets the UTF-8 flag (Python, 7-Zip, `zip -UN=UTF8`), or use ASCII names.",
);

/// Names that Windows cannot store are in the archive.
pub static NAME_UNPORTABLE: Code = code(
    Severity::Warning,
    "archive/name-unportable",
    "kitbag",
    "Names that Windows cannot store are in the archive.",
    "The package cannot be unpacked there.",
    "Rename the files: none of <>:\"|?*, no dot or space at the end.",
);
