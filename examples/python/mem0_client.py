"""mem0's published client with Daybook as its host: pip install mem0ai."""

import os

from mem0 import MemoryClient

client = MemoryClient(api_key="any", host=os.environ.get("DAYBOOK_URL", "http://127.0.0.1:7077"))
client.add([{"id": "m1", "role": "user", "content": "My dentist is Dr. Weiss."}], user_id="ana", async_mode=False)
client.add([{"id": "m2", "role": "user", "content": "I changed dentists, I go to Dr. Moreau now."}], user_id="ana", async_mode=False)
for memory in client.search("Who is the dentist?", filters={"user_id": "ana"})["results"]:
    print(memory["role"], "|", memory["memory"])
