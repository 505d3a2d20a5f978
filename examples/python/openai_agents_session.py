"""A session of the OpenAI Agents SDK on Daybook: pip install daybook-memory[openai-agents]."""

import asyncio

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from daybook import AsyncDaybook
from daybook.openai_agents import DaybookSession
from openai.types.responses import ResponseOutputMessage, ResponseOutputText


class Scripted(Model):
    """Answers with what it was given. Put your model here."""

    async def get_response(self, system_instructions, input, *_, **__):
        reply = system_instructions if input[-1]["content"].endswith("?") else "Noted."
        text = ResponseOutputText(type="output_text", text=reply, annotations=[])
        message = ResponseOutputMessage(id="msg_1", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


async def talk(session: DaybookSession, said: str) -> str:
    agent = Agent(name="helper", instructions=f"From memory:\n{await session.recall(said)}", model=Scripted())
    return (await Runner.run(agent, said, session=session, run_config=RunConfig(tracing_disabled=True))).final_output


async def main() -> None:
    async with AsyncDaybook(user="olaf") as memory:
        monday, friday = DaybookSession("monday", memory), DaybookSession("friday", memory)
        await talk(monday, "My dentist is Dr. Weiss.")
        await talk(monday, "I changed dentists, I go to Dr. Moreau now.")
        print(await talk(friday, "Who is my dentist?"))
        print(len(await monday.get_items()), "items on Monday,", len(await friday.get_items()), "on Friday")


if __name__ == "__main__":
    asyncio.run(main())
