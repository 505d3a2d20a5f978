"""A memory over plain HTTP, with nothing but Python's own library."""

import json
import os
from urllib.request import Request, urlopen

URL = os.environ.get("DAYBOOK_URL", "http://127.0.0.1:7077")


def daybook(path, **body):
    request = Request(URL + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request) as reply:
        return json.load(reply)


if __name__ == "__main__":
    # A message with an id of its own is kept once, however often it is sent.
    daybook("/v1/memories", user_id="ana", messages=[{"id": "m1", "role": "user", "content": "My dentist is Dr. Weiss."}])
    done = daybook("/v1/memories", user_id="ana", messages=[{"id": "m2", "role": "user", "content": "I changed dentists, I go to Dr. Moreau now."}])
    # min_commit: see at least what was just written.
    found = daybook("/v1/recall", user_id="ana", query="Who is the dentist?", min_commit=done["commit"])
    for row in found["rows"]:
        print(row["role"], "|", row["text"])
    print(daybook("/v1/ask", user_id="ana", query="Who was the dentist before?")["answer"])
