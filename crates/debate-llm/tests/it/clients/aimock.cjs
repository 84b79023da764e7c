// An independent server that speaks OpenAI's, Anthropic's and Google's protocols, with an answer for
// each question of aimock.rs. Prints where it is; ends when its input does.
const { LLMock } = require("@copilotkit/aimock");

const mock = new LLMock({ port: 0, host: "127.0.0.1" });
// Each protocol takes the names it knows.
const tokens = {
  prompt_tokens: 11, completion_tokens: 7,
  input_tokens: 11, output_tokens: 7,
  promptTokenCount: 11, candidatesTokenCount: 7,
};

mock.onMessage("say it whole", { content: "Tabs – naturally. ✓ Said whole.", usage: tokens });
mock.onMessage("stop short", { content: "Tabs are", finishReason: "length" });
mock.onMessage("decline", { content: "I would rather not.", finishReason: "content_filter" });
mock.onMessage("say nothing", { content: "" });
mock.onMessage("slow down", {
  error: { message: "Slow down", type: "rate_limit_error" }, status: 429, retryAfter: 9,
});
mock.onMessage("fall over", { error: { message: "Oops", type: "server_error" }, status: 500 });
mock.onMessage("overload", {
  error: { message: "Overloaded", type: "overloaded_error" }, status: 529,
});
mock.onMessage("wrong key", {
  error: { message: "Bad key", type: "authentication_error" }, status: 401,
});
mock.onMessage("break off", { content: "Tabs are better than spaces. ".repeat(20) },
  { truncateAfterChunks: 3, chunkSize: 8 });
mock.onMessage("hang up", { content: "never" }, { chaos: { disconnectRate: 1 } });
mock.onMessage("talk nonsense", { content: "never" }, { chaos: { malformedRate: 1 } });
mock.onMessage("drop it", { content: "never" }, { chaos: { dropRate: 1 } });

mock.start().then(() => console.log(mock.url));
process.stdin.on("end", () => process.exit(0)).resume();
