"""A LangGraph agent with a memory: pip install langgraph. Put your model where reply is."""

from typing import TypedDict

from http_client import daybook
from langgraph.graph import END, START, StateGraph


class State(TypedDict, total=False):
    user: str
    said: str
    memory: str  # labelled evidence, for the prompt
    reply: str


def remembering(state: State) -> State:
    found = daybook("/v1/recall", user_id=state["user"], query=state["said"], k=8)
    return {"memory": "\n".join(f"[{row['role'] or 'said'}] {row['text']}" for row in found["rows"])}


def replying(state: State) -> State:
    return {"reply": f"(your model answers {state['said']!r} with this at hand)\n{state['memory']}"}


def keeping(state: State) -> State:
    said = [{"role": "user", "content": state["said"]}]
    daybook("/v1/memories", user_id=state["user"], messages=said, ack="indexed")
    return {}


graph = StateGraph(State)
for node in (remembering, replying, keeping):
    graph.add_node(node.__name__, node)
for step in ((START, "remembering"), ("remembering", "replying"), ("replying", "keeping"), ("keeping", END)):
    graph.add_edge(*step)
agent = graph.compile()

if __name__ == "__main__":
    for said in ("My dentist is Dr. Weiss.", "I changed dentists, I go to Dr. Moreau now.", "Who is my dentist?"):
        print(agent.invoke({"user": "bo", "said": said})["reply"])
