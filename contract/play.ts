// Plays a debate and reads a run with the types that openapi-typescript generates from the
// document. What does not compile here does not compile for users either.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const url = process.env.CONTRACT_URL;
if (!url) throw new Error("CONTRACT_URL is not set");
const api = createClient<paths>({ baseUrl: url });

/** The body of a successful answer. */
function data<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.url}: ${answer.response.status} ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`expected ${what}`);
}

async function playDebate(): Promise<void> {
  const created = data(
    await api.POST("/debates", {
      body: {
        debate_id: crypto.randomUUID(),
        title: "Tabs or spaces",
        debate_type: "general_debate",
        motion_content: "Tabs.",
        client_request_id: crypto.randomUUID(),
      },
    }),
  ).data;
  const path = { id: created.debate.id };

  const waited = data(
    await api.GET("/debates/{id}/wait", {
      params: { path, query: { role: "opponent", timeout_ms: 10_000 } },
    }),
  ).data;
  // The constant narrows the union: `argument` exists on one side only, `last_seen_seq` on the other.
  if (!waited.has_new_argument) throw new Error(`nothing after ${waited.last_seen_seq}`);
  check(waited.action === "respond", "the opponent to be asked");

  const claimed = data(
    await api.POST("/debates/{id}/arguments", {
      params: { path },
      body: {
        role: "opponent",
        target_id: waited.argument.id,
        content: "Spaces.",
        client_request_id: crypto.randomUUID(),
      },
    }),
  ).data;
  check(claimed.debate.state === "AWAITING_PROPOSER", "the proposer's turn");

  // An intervention needs no body.
  data(await api.POST("/debates/{id}/intervention", { params: { path } }));
  const ruled = data(
    await api.POST("/debates/{id}/ruling", {
      params: { path },
      body: { content: "Either, but not both.", close: true },
    }),
  ).data;
  check(ruled.debate.state === "CLOSED", "a closed debate");

  const refused = await api.POST("/debates/{id}/intervention", { params: { path } });
  check(refused.error?.success === false, "a refusal");
  check(refused.error.error.code === "ACTION_NOT_ALLOWED", "the rules to refuse it");
}

async function readRun(): Promise<void> {
  const created = data(
    await api.POST("/runner/debates", {
      body: {
        topic: "Tabs or spaces",
        settings: {
          model_debater: "demo:fast",
          model_judge: "demo:fast",
          judge_mode: "round",
          max_rounds: 1,
        },
      },
    }),
  );
  const params = { path: { id: created.id } };
  check(data(await api.POST("/runner/debates/{id}/start", { params })).enqueued, "the run to start");

  let run: components["schemas"]["RunnerStory"];
  const deadline = Date.now() + 60_000;
  do {
    check(Date.now() < deadline, "the run to end within a minute");
    run = data(await api.GET("/runner/debates/{id}", { params }));
  } while (run.debate.status === "running");
  check(run.debate.status === "completed", `a completed run instead of ${run.debate.status}`);
  const [first, , judged] = run.turns;
  check(first?.metadata.winner === undefined, "a debater's turn without a verdict");
  check(typeof judged?.metadata.score_a === "number", "a judge's turn with a verdict");
}

await playDebate();
await readRun();
console.log("typescript client: debate played, run read");
