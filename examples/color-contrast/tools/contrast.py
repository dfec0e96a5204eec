"""The tools of color-contrast: one call on standard input, one result on standard output, each a line of JSON.

Needs nothing but Python. Reads one file, the style sheet that was named, and only inside the workspace.
"""

import json
import os
import re
import sys

MOST_CSS_BYTES = 1024 * 1024
NEEDED = {
    ("normal", "AA"): 4.5,
    ("normal", "AAA"): 7.0,
    ("large", "AA"): 3.0,
    ("large", "AAA"): 4.5,
    ("interface", "AA"): 3.0,
    ("interface", "AAA"): 3.0,
}
NAMES = {
    "aqua": "00ffff", "black": "000000", "blue": "0000ff", "fuchsia": "ff00ff", "gray": "808080", "green": "008000",
    "lime": "00ff00", "maroon": "800000", "navy": "000080", "olive": "808000", "purple": "800080", "red": "ff0000",
    "silver": "c0c0c0", "teal": "008080", "white": "ffffff", "yellow": "ffff00",
}


class Refused(Exception):
    """What was asked cannot be answered, in words for whoever asked."""


def parse(text):
    """(r, g, b), each 0 to 255. A colour with transparency has no contrast of its own."""
    color = text.strip().lower()
    color = "#" + NAMES.get(color, color.lstrip("#")) if color in NAMES or color.startswith("#") else color
    if re.fullmatch(r"#[0-9a-f]{3}", color):
        color = "#" + "".join(digit * 2 for digit in color[1:])
    if re.fullmatch(r"#[0-9a-f]{6}", color):
        return tuple(int(color[at:at + 2], 16) for at in (1, 3, 5))
    found = re.fullmatch(r"rgb\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*\)", color)
    if found and all(int(part) <= 255 for part in found.groups()):
        return tuple(int(part) for part in found.groups())
    raise Refused(f"cannot read the colour {text[:60]!r}")


def written(color):
    return "#%02x%02x%02x" % color


def luminance(color):
    """Relative luminance (WCAG 2.2, definition)."""
    def linear(part):
        part /= 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    red, green, blue = (linear(part) for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def propose(foreground, background, needed):
    """The nearest colour between the foreground and black or white that passes; None where nothing does."""
    best = None
    for end in ((0, 0, 0), (255, 255, 255)):
        for step in range(1, 256):
            share = step / 255
            mixed = tuple(round(part + (goal - part) * share) for part, goal in zip(foreground, end))
            if ratio(mixed, background) >= needed:
                if best is None or step < best[0]:
                    best = (step, mixed)
                break
    return None if best is None else written(best[1])


def measure(foreground, background, needed):
    found = ratio(foreground, background)
    answer = {
        "foreground": written(foreground),
        "background": written(background),
        # Cut, not rounded: a ratio just below a threshold must not look like a pass.
        "ratio": int(found * 100) / 100,
        "needed": needed,
    }
    passes = found >= needed
    proposal = None if passes else propose(foreground, background, needed)
    if proposal is not None:
        answer["proposal"] = proposal
    return passes, answer


def check_contrast(given, _context):
    level = given.get("level", "AA")
    pairs = []
    for pair in given["pairs"]:
        needed = NEEDED[(pair.get("size", "normal"), level)]
        passes, answer = measure(parse(pair["foreground"]), parse(pair["background"]), needed)
        answer["passes"] = passes
        if "name" in pair:
            answer["name"] = pair["name"]
        pairs.append(answer)
    return {"level": level, "failing": sum(not pair["passes"] for pair in pairs), "pairs": pairs}


def scan_css(given, context):
    level = given.get("level", "AA")
    css = read_css(given["path"], context.get("workspace"))
    # Comments keep their lines, so that the lines of rules stay right.
    css = re.sub(r"/\*.*?\*/", lambda comment: re.sub(r"[^\n]", " ", comment.group()), css, flags=re.S)
    rules = list(re.finditer(r"([^{}]+)\{([^{}]*)\}", css))
    variables = {}
    for rule in rules:
        if rule.group(1).strip() == ":root":
            variables.update(re.findall(r"(--[\w-]+)\s*:\s*([^;]+)", rule.group(2)))
    failing, unread = [], 0
    for rule in rules:
        declared = {name.strip().lower(): value for name, value in re.findall(r"([\w-]+)\s*:\s*([^;]+)", rule.group(2))}
        foreground = declared.get("color")
        background = declared.get("background-color", declared.get("background"))
        if foreground is None or background is None:
            continue
        try:
            colors = [parse(resolve(value, variables)) for value in (foreground, background)]
        except Refused:
            unread += 1
            continue
        passes, answer = measure(*colors, NEEDED[(size_of(declared), level)])
        if not passes:
            start = rule.start(1) + len(rule.group(1)) - len(rule.group(1).lstrip())
            selector = " ".join(rule.group(1).split())
            failing.append({"selector": selector, "line": css.count("\n", 0, start) + 1, **answer})
    return {"path": given["path"], "rules": len(rules), "unread": unread, "failing": failing}


def resolve(value, variables):
    """The value with custom properties of :root put in, a few levels deep."""
    value = value.replace("!important", "").strip()
    for _ in range(5):
        found = re.fullmatch(r"var\(\s*(--[\w-]+)\s*(?:,\s*([^()]+))?\)", value)
        if not found:
            return value
        value = variables.get(found.group(1), found.group(2) or "").strip()
    return value


def size_of(declared):
    """Large where the rule itself says so; otherwise the stricter of the two."""
    pixels = re.fullmatch(r"\s*([\d.]+)px\s*", declared.get("font-size", ""))
    bold = declared.get("font-weight", "").strip() in ("bold", "bolder", "700", "800", "900")
    return "large" if pixels and float(pixels.group(1)) >= (18.66 if bold else 24) else "normal"


def read_css(path, workspace):
    if not workspace:
        raise Refused("there is no workspace to read from")
    root = os.path.realpath(workspace)
    full = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, full]) != root or not full.endswith(".css"):
        raise Refused(f"{path[:200]} is no style sheet of the workspace")
    if not os.path.isfile(full):
        raise Refused(f"no file is at {path[:200]}")
    if os.path.getsize(full) > MOST_CSS_BYTES:
        raise Refused(f"{path[:200]} is larger than {MOST_CSS_BYTES} bytes")
    with open(full, encoding="utf-8", errors="replace") as file:
        return file.read()


TOOLS = {"check_contrast": check_contrast, "scan_css": scan_css}


def main():
    for line in sys.stdin:
        try:
            message = json.loads(line)
            if message.get("type") != "call":
                continue
            tool = TOOLS.get(message.get("tool"))
            if tool is None:
                raise Refused(f"there is no tool {message.get('tool')!r}")
            answer = {"type": "result", "output": tool(message["input"], message.get("context", {}))}
        except Refused as refused:
            answer = {"type": "error", "message": str(refused)}
        except (KeyError, TypeError, ValueError) as error:
            answer = {"type": "error", "message": f"the call cannot be read: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
