#!/bin/sh
# A memory over plain HTTP: keep, find with labels, ask, see what changed.
set -eu
url=${DAYBOOK_URL:-http://127.0.0.1:7077}

curl -s "$url/v1/memories" -d '{"user_id": "ana", "messages": "My dentist is Dr. Weiss.", "ack": "indexed"}'
curl -s "$url/v1/memories" -d '{"user_id": "ana", "messages": "I changed dentists, I go to Dr. Moreau now.", "ack": "indexed"}'
curl -s "$url/v1/recall" -d '{"user_id": "ana", "query": "Who is the dentist?", "k": 5}'
curl -s "$url/v1/ask" -d '{"user_id": "ana", "query": "Who was the dentist before?"}'
curl -s "$url/v1/history?user_id=ana&subject=ana"
