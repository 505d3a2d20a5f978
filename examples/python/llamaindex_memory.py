"""LlamaIndex's chat engine with a memory on Daybook: pip install daybook-memory[llama-index]."""

from daybook import Daybook
from daybook.llama_index import DaybookMemory
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, ChatResponse, CustomLLM, LLMMetadata


class Scripted(CustomLLM):
    """Answers with what it was given from memory. Put your model here."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=True)

    def chat(self, messages, **_):
        known = messages[0].content if messages[0].role == "system" else "Noted."
        return ChatResponse(message=ChatMessage(role="assistant", content=known))

    def complete(self, prompt, **_):
        raise NotImplementedError

    stream_complete = complete


if __name__ == "__main__":
    user = Daybook(user="lia")
    for session, said in (
        ("monday", "My dentist is Dr. Weiss."),
        ("monday", "I changed dentists, I go to Dr. Moreau now."),
        ("friday", "Who is my dentist?"),
    ):
        engine = SimpleChatEngine.from_defaults(llm=Scripted(), memory=DaybookMemory(user, session=session))
        print(engine.chat(said).response)
