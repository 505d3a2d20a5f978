"""Talks to Daybook with the official Python client of the Model Context Protocol.

    client.py stdio DAYBOOK HOME     starts DAYBOOK itself
    client.py http URL               talks to a server

Either way: keeps something, finds it, asks for it, forgets it. Exits with an error
where anything is not as it should be.
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters, stdio_client


async def story(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert len(tools) == 8, sorted(tools)
    assert tools["recall"].annotations.read_only_hint, tools["recall"]
    assert tools["forget"].annotations.destructive_hint, tools["forget"]

    async def call(name, **arguments):
        result = await client.call_tool(name, arguments)
        assert not result.is_error, (name, result.content)
        return result.structured_content, result.content[0].text

    kept, _ = await call("remember", text="My dentist is Dr. Weiss.")
    assert kept["added"] == 1 and kept["learned"] == 1, kept
    found, text = await call("recall", query="Who is the dentist?")
    assert [row["text"] for row in found["rows"]] == ["My dentist is Dr. Weiss."], found
    assert "Weiss" in text, text
    answer, _ = await call("ask", question="Who is Ana's dentist?")
    assert "Weiss" in answer["answer"], answer
    profile = await client.read_resource("daybook://memory/profile")
    assert "Weiss" in profile.contents[0].text, profile
    prompt = await client.get_prompt("answer_from_memory", {"question": "Who is Ana's dentist?"})
    assert "Weiss" in prompt.messages[0].content.text, prompt
    gone, _ = await call("forget", ids=kept["ids"])
    assert gone["done"] and gone["certificate"]["digest"], gone
    found, text = await call("recall", query="Who is the dentist?")
    assert found["rows"] == [] and "Weiss" not in text, found
    wrong = await client.call_tool("recall", {"query": "x", "view": "sideways"})
    assert wrong.is_error and "view" in wrong.content[0].text, wrong


async def main(how, *rest):
    if how == "stdio":
        daybook, home = rest
        server = stdio_client(StdioServerParameters(command=daybook, args=["--home", home, "--user", "Ana", "mcp"]))
        async with Client(server) as client:
            await story(client)
    else:
        async with Client(rest[0]) as client:
            await story(client)
    print("ok", how)


asyncio.run(main(*sys.argv[1:]))
