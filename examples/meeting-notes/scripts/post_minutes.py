"""Post minutes to the team's channel: one request to the webhook named by MINUTES_WEBHOOK."""

import json
import os
import sys
import urllib.request


def main():
    with open(sys.argv[1], encoding="utf-8") as minutes:
        body = json.dumps({"text": minutes.read()}).encode()
    request = urllib.request.Request(
        os.environ["MINUTES_WEBHOOK"], data=body, headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        print(answer.status)


if __name__ == "__main__":
    main()
