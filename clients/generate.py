"""Writes the types of both clients from the OpenAPI description of a server, and the
synchronous Python client from the asynchronous one.

    python3 clients/generate.py openapi.json           writes the files
    python3 clients/generate.py openapi.json --check   fails where a file is out of date
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
PYTHON = HERE / "python/src/daybook"
TYPESCRIPT = HERE / "typescript/src"

# Names of schemas that read better in a client. Others lose "Engine", "Graph" and "OutputBody".
NAMES = {
    "AnswerCitation": "Citation",
    "AnswerItem": "PacketItem",
    "AnswerPacket": "Packet",
    "DoOutputBody": "TreeReply",
    "EngineAnswered": "Answer",
    "EngineAnsweredRow": "AnswerRow",
    "EngineFoundStep": "QueryStep",
    "EngineQueryReport": "QueryResult",
    "EngineRecalled": "Recall",
    "EngineRecalledRow": "RecallRow",
    "ForgetOutputBody": "Erasure",
    "GraphLogEntry": "Commit",
    "HistoryOutputBody": "Histories",
    "ImportOutputBody": "ImportReceipt",
    "MessageOutputBody": "Done",
    "Named": "Owner",
    "PacketOutputBody": "Labelled",
    "ScopedJob": "Job",
}
# Schemas of requests that callers build by hand, and of mem0's endpoints that the clients use.
ALSO = ["ForeignRow", "TreeChange", "Memory", "MemoryChange", "MessageOutputBody", "Named"]


def named(schema: str) -> str:
    if schema in NAMES:
        return NAMES[schema]
    return re.sub(r"OutputBody$", "", re.sub(r"^(Engine|Graph)(?=[A-Z])", "", schema))


def referenced(schema: object) -> list[str]:
    """The names of all schemas that one refers to."""
    return re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schema))


def wanted(api: dict) -> list[str]:
    """The schemas of the responses of Daybook's own endpoints, and all that these refer to."""
    todo, seen = list(ALSO), set()
    for operations in api["paths"].values():
        for operation in operations.values():
            if "mem0" not in operation["tags"]:
                todo += referenced(operation["responses"]["200"])
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += referenced(api["components"]["schemas"][name])
    return sorted(seen, key=named)


def kind(schema: dict) -> tuple[str, dict]:
    """The type of a schema without null, and what it holds."""
    if "$ref" in schema:
        return "ref", {"name": named(schema["$ref"].split("/")[-1])}
    types = schema.get("type", "any")
    types = [t for t in types if t != "null"] if isinstance(types, list) else [types]
    values = schema.get("additionalProperties")
    if types == ["object"] and isinstance(values, dict) and values:
        return "map", values
    if types == ["array"]:
        return "array", schema.get("items", {})
    if "enum" in schema:
        return "enum", {"values": schema["enum"]}
    return types[0], {}


def nullable(schema: dict) -> bool:
    """Whether null may be sent. Lists are described as nullable but are never null; the tests check that."""
    return isinstance(schema.get("type"), list) and "null" in schema["type"] and "array" not in schema["type"]


def python_type(schema: dict) -> str:
    what, inner = kind(schema)
    if what == "ref":
        return inner["name"]
    if what in ("map", "array"):
        return ("dict[str, %s]" if what == "map" else "list[%s]") % python_type(inner)
    if what == "enum":
        return "Literal[%s]" % ", ".join(json.dumps(v) for v in inner["values"])
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict[str, Any]"}.get(what, "Any")


def typescript_type(schema: dict) -> str:
    what, inner = kind(schema)
    if what == "ref":
        return inner["name"]
    if what == "map":
        return f"Record<string, {typescript_type(inner)}>"
    if what == "array":
        of = typescript_type(inner)
        return f"({of})[]" if "|" in of else f"{of}[]"
    if what == "enum":
        return " | ".join(json.dumps(v) for v in inner["values"])
    return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "object": "Record<string, unknown>"}.get(what, "unknown")


def fields(schema: dict) -> list[tuple[str, dict, bool]]:
    required = schema.get("required", [])
    return [(n, s, n in required) for n, s in schema.get("properties", {}).items() if n != "$schema"]


def python_field(name: str, schema: dict, required: bool) -> str:
    typ, what = python_type(schema), kind(schema)[0]
    name = name + "_" if name in ("from", "in") else name
    if what in ("array", "map") and not nullable(schema):
        return f"    {name}: {typ} = field(default_factory={'list' if what == 'array' else 'dict'})"
    if required and not nullable(schema):
        return f"    {name}: {typ}"
    return f"    {name}: {typ if typ == 'Any' else typ + ' | None'} = None"


def python_types(api: dict) -> str:
    out = ['"""What the server returns. Made by clients/generate.py from the OpenAPI description; do not edit."""', "",
           "from __future__ import annotations", "", "from dataclasses import dataclass, field", "from typing import Any, Literal", ""]
    for name in wanted(api):
        lines = [python_field(*f) for f in fields(api["components"]["schemas"][name])]
        out += ["", "@dataclass(frozen=True, kw_only=True)", f"class {named(name)}:", *(lines or ["    pass"]), ""]
    return "\n".join(out).rstrip() + "\n"


def typescript_types(api: dict) -> str:
    out = ["// What the server returns. Made by clients/generate.py from the OpenAPI description; do not edit."]
    for name in wanted(api):
        out += ["", f"export interface {named(name)} {{"]
        for field, schema, required in fields(api["components"]["schemas"][name]):
            if text := schema.get("description"):
                out.append(f"  /** {text} */")
            null = " | null" if nullable(schema) else ""
            out.append(f"  {field}{'' if required else '?'}: {typescript_type(schema)}{null};")
        out.append("}")
    return "\n".join(out) + "\n"


# What the synchronous client says instead of the asynchronous one.
SYNC = [
    (r"async def ", "def "), (r"async with ", "with "), (r"async for ", "for "), (r"await ", ""),
    (r"AsyncIterator", "Iterator"), (r"AsyncClient", "Client"), (r"AsyncDaybook", "Daybook"), (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"), (r"aclose\b", "close"), (r"aiter_lines", "iter_lines"), (r"aiter_bytes", "iter_bytes"), (r"aread\b", "read"), (r"asyncio\.sleep", "time.sleep"),
    (r"import asyncio", "import time"), (r"The asynchronous client", "The synchronous client, made from _async.py by clients/generate.py; do not edit"),
]


def synchronous(source: str) -> str:
    for pattern, instead in SYNC:
        source = re.sub(pattern, instead, source)
    return source


def main() -> int:
    api = json.loads(Path(sys.argv[1]).read_text())
    files = {
        PYTHON / "types.py": python_types(api),
        PYTHON / "_sync.py": synchronous((PYTHON / "_async.py").read_text()),
        TYPESCRIPT / "types.ts": typescript_types(api),
    }
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(HERE)} is out of date: run python3 clients/generate.py openapi.json", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(files[path])
        print("wrote", path.relative_to(HERE))
    return 0


if __name__ == "__main__":
    sys.exit(main())
