#!/usr/bin/env python3
"""Profile a delimited table: one pass, one JSON object on standard output.

Exit status: 0 profiled, 1 the file is no table, 2 wrong usage or unreadable file.
"""

import argparse
import collections
import csv
import datetime
import json
import sys

MISSING = {"", "NA", "N/A", "null", "-"}
MOST_DISTINCT = 100_000
MOST_RAGGED = 20


def kind_of(text):
    """The narrowest type that holds `text`."""
    if text.lower() in ("true", "false", "yes", "no"):
        return "boolean"
    try:
        int(text)
        return "integer"
    except ValueError:
        pass
    try:
        float(text)
        return "number"
    except ValueError:
        pass
    try:
        datetime.date.fromisoformat(text[:10])
        return "date"
    except ValueError:
        return "text"


class Column:
    """What is known of one column so far."""

    def __init__(self, name):
        self.name = name
        self.missing = 0
        self.kinds = collections.Counter()
        self.values = collections.Counter()
        self.low = self.high = None
        self.examples = []

    def take(self, text):
        text = text.strip()
        if text in MISSING:
            self.missing += 1
            return
        kind = kind_of(text)
        if not self.kinds[kind] and len(self.examples) < 3:
            self.examples.append(text)
        self.kinds[kind] += 1
        if self.values is not None:
            self.values[text] += 1
            if len(self.values) > MOST_DISTINCT:
                self.values = None
        if kind in ("integer", "number", "date"):
            key = text if kind == "date" else float(text)
            if self.low is None or (type(key) is type(self.low) and key < self.low):
                self.low = key
            if self.high is None or (type(key) is type(self.high) and key > self.high):
                self.high = key

    def profile(self):
        kinds = set(self.kinds)
        if kinds == {"integer", "number"}:
            kinds = {"number"}
        kind = "empty" if not kinds else kinds.pop() if len(kinds) == 1 else "mixed"
        out = {"name": self.name, "type": kind, "missing": self.missing}
        out["unique"] = None if self.values is None else len(self.values)
        if kind in ("integer", "number", "date"):
            out["min"], out["max"] = self.low, self.high
        if self.values:
            out["top"] = [{"value": v, "count": n} for v, n in self.values.most_common(5)]
        if kind == "mixed":
            out["examples"] = self.examples
        return out


def profile(path, delimiter, encoding):
    with open(path, newline="", encoding=encoding) as table:
        if delimiter is None:
            # The header decides: its cells are names, which seldom hold a delimiter themselves.
            first = table.readline(64 * 1024)
            delimiter = max(",;\t|", key=first.count)
            table.seek(0)
        rows = csv.reader(table, delimiter=delimiter)
        header = next(rows, None)
        if not header:
            raise ValueError("the file has no header line")
        columns = [Column(name.strip() or f"column {n}") for n, name in enumerate(header, 1)]
        count, ragged = 0, []
        for row in rows:
            if not row:
                continue
            count += 1
            if len(row) != len(columns) and len(ragged) < MOST_RAGGED:
                ragged.append(rows.line_num)
            for column, cell in zip(columns, row):
                column.take(cell)
    return {
        "file": path,
        "delimiter": delimiter,
        "rows": count,
        "ragged_lines": ragged,
        "columns": [column.profile() for column in columns],
    }


def selftest():
    """Profiles a table it writes itself; used by the contract's conformance test."""
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.csv")
        with open(path, "w", encoding="utf-8") as table:
            table.write("id;day;amount\n1;2026-01-02;3.5\n2;2026-01-03;NA\n3;x\n")
        found = profile(path, None, "utf-8")
    found["file"] = "t.csv"
    return found


def main():
    parser = argparse.ArgumentParser(description="Profile a delimited table.")
    parser.add_argument("table", nargs="?", help="a CSV or TSV file")
    parser.add_argument("--delimiter", help="one character; found from the file when absent")
    parser.add_argument("--encoding", default="utf-8-sig", help="default: UTF-8")
    parser.add_argument("--selftest", action="store_true", help="profile a built-in table")
    args = parser.parse_args()
    if not args.selftest and args.table is None:
        parser.error("a table is needed")
    try:
        found = selftest() if args.selftest else profile(args.table, args.delimiter, args.encoding)
    except (OSError, UnicodeDecodeError) as error:
        print(f"cannot read the table: {error}", file=sys.stderr)
        return 2
    except (ValueError, csv.Error) as error:
        print(f"no table: {error}", file=sys.stderr)
        return 1
    json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
