"""One JSON object per line: a call comes in on standard input, its result goes out on standard output."""

import json
import sys


def count_words(given):
    text = given["text"]
    return {"words": len(text.split()), "lines": len(text.splitlines()), "characters": len(text)}


for line in sys.stdin:
    call = json.loads(line)
    if call.get("type") != "call":
        continue
    try:
        answer = {"type": "result", "output": count_words(call["input"])}
    except (KeyError, TypeError) as error:
        answer = {"type": "error", "message": f"the call cannot be read: {error}"}
    print(json.dumps(answer), flush=True)
