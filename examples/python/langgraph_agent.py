"""A LangGraph agent with a memory: pip install daybook-memory[langgraph]. Put your model where reply is."""

from typing import TypedDict

from daybook import Daybook
from langgraph.graph import END, START, StateGraph

memory = Daybook()


class State(TypedDict, total=False):
    user: str
    said: str
    memory: str  # labelled evidence, for the prompt
    reply: str


def remembering(state: State) -> State:
    rows = memory.scoped(user=state["user"]).recall(state["said"]).rows
    return {"memory": "\n".join(f"[{row.role or 'said'}] {row.text}" for row in rows)}


def replying(state: State) -> State:
    return {"reply": f"(your model answers {state['said']!r} with this at hand)\n{state['memory']}"}


def keeping(state: State) -> State:
    memory.scoped(user=state["user"]).add(state["said"], wait=True)
    return {}


graph = StateGraph(State).add_sequence([remembering, replying, keeping])
graph.add_edge(START, "remembering")
graph.add_edge("keeping", END)
agent = graph.compile()

if __name__ == "__main__":
    for said in ("My dentist is Dr. Weiss.", "I changed dentists, I go to Dr. Moreau now.", "Who is my dentist?"):
        print(agent.invoke({"user": "bo", "said": said})["reply"])
