"""LangGraph's long-term store on Daybook: pip install daybook-memory[langgraph]."""

from uuid import uuid4

from daybook.langgraph import DaybookStore
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

MEMORIES = ("memories", "lena")


def scripted(known: list[str], said: str) -> str:
    """Stands where your model would."""
    return f"I know: {' / '.join(known)}" if said.endswith("?") else "Noted."


def chat(state: MessagesState, *, store: BaseStore) -> MessagesState:
    said = state["messages"][-1].content
    known = [item.value["text"] for item in store.search(MEMORIES, query=said, limit=3)]
    if not said.endswith("?"):
        store.put(MEMORIES, str(uuid4()), {"text": said})
    return {"messages": [("assistant", scripted(known, said))]}


graph = StateGraph(MessagesState)
graph.add_node(chat)
graph.add_edge(START, "chat")
graph.add_edge("chat", END)
agent = graph.compile(store=DaybookStore(latest_only=True))

if __name__ == "__main__":
    for said in ("My dentist is Dr. Weiss.", "I changed dentists, I go to Dr. Moreau now.", "Who is my dentist?"):
        print(agent.invoke({"messages": [("user", said)]})["messages"][-1].content)
