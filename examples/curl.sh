#!/bin/sh
# A memory over plain HTTP: keep, find with labels, ask, see what changed. A message with an
# id of its own is kept once, however often it is sent.
set -eu
url=${DAYBOOK_URL:-http://127.0.0.1:7077}

curl -s "$url/v1/memories" -d '{"user_id": "ana", "messages": [{"id": "m1", "role": "user", "content": "My dentist is Dr. Weiss."}], "ack": "indexed"}'
curl -s "$url/v1/memories" -d '{"user_id": "ana", "messages": [{"id": "m2", "role": "user", "content": "I changed dentists, I go to Dr. Moreau now."}], "ack": "indexed"}'
curl -s "$url/v1/recall" -d '{"user_id": "ana", "query": "Who is the dentist?", "k": 5}'
curl -s "$url/v1/ask" -d '{"user_id": "ana", "query": "Who was the dentist before?"}'
curl -s "$url/v1/history?user_id=ana&subject=ana"
