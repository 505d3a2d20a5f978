// A model of the Vercel AI SDK with a memory: npm install ai daybook-memory.
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Daybook } from "daybook-memory";
import { memoryMiddleware } from "daybook-memory/ai";

// A scripted model that answers with what it was told from memory. Put yours here.
const scripted = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: "text", text: prompt[0].role === "system" ? prompt[0].content : "Noted." }],
    finishReason: { unified: "stop", raw: "stop" },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  }),
});

const model = wrapLanguageModel({ model: scripted, middleware: memoryMiddleware(new Daybook({ user: "vera" })) });
for (const prompt of ["My dentist is Dr. Weiss.", "I changed dentists, I go to Dr. Moreau now.", "Who is my dentist?"]) {
  const { text } = await generateText({ model, prompt });
  console.log(text);
}
