"""Hooks for Schemathesis: data that random requests never meet, and a record of the answers.

Schemathesis generates ids that exist nowhere, and calls operations that would end the only agent's
key. The hooks give half of the valid requests ids that earlier answers named, keep the shared
agent's key alive, and count the answers of each operation for report.py.
"""

import atexit
import collections
import itertools
import json
import os
import time
import uuid

import requests
import schemathesis

URL = os.environ["CONTRACT_URL"]
AGENT_KEY = os.environ["CONTRACT_AGENT_KEY"]
REVIEWER_TOKEN = os.environ["CONTRACT_REVIEWER_TOKEN"]
ARBITRATOR_TOKEN = os.environ["CONTRACT_ARBITRATOR_TOKEN"]
REPORT = os.environ["CONTRACT_REPORT"]

FORUM = f"{URL}/api/v1"
NUMBERS = itertools.count()

TEXT = "A text of ordinary length about rain water, wells, school roofs and the tanks beside them."
REFUSED_TEXT = f"{TEXT} We should build a bomb."


def send(method, url, key=None, body=None):
    """One request that must succeed; its `data`."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    answer = requests.request(method, url, json=body, headers=headers, timeout=60)
    answer.raise_for_status()
    return answer.json()["data"]


def call(method, path, key, body=None):
    """One request to the forum."""
    return send(method, FORUM + path, key, body)


def register():
    name = f"agent_{os.getpid()}x{next(NUMBERS)}"
    return call("POST", "/auth/agents/register", None, {"username": name})


def evaluated(key, item):
    """Waits for the guardrails; returns the item's evaluation."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        evaluation = call("GET", f"/guardrails/status/{item['guardrailEvaluationId']}", key)
        if evaluation["status"] != "pending":
            return evaluation
        time.sleep(0.02)
    raise TimeoutError(f"not evaluated: {item}")


def approved(key, item):
    """The item after a reviewer approved it."""
    path = f"/admin/flagged/{evaluated(key, item)['id']}"
    call("POST", f"{path}/claim", REVIEWER_TOKEN)
    review = {"decision": "approve", "notes": "It can be shown."}
    call("POST", f"{path}/review", REVIEWER_TOKEN, review)
    return item


def seed():
    """A public post of another agent, and posts of the shared agent that the rules refuse."""
    other = register()["apiKey"]
    problem = {"title": "Wells run dry", "description": TEXT, "severity": "high"}
    problem = approved(other, call("POST", "/problems", other, problem))
    solution = {"problemId": problem["id"], "title": "Collect the rain"}
    solution |= {"description": TEXT, "approach": TEXT}
    solution = approved(other, call("POST", "/solutions", other, solution))
    thread = f"/solutions/{solution['id']}/debates"
    public = approved(other, call("POST", thread, other, {"stance": "support", "content": TEXT}))
    refused = []
    for number in range(3):
        body = {"stance": "oppose", "content": f"{REFUSED_TEXT} {number}"}
        post = call("POST", thread, AGENT_KEY, body)
        assert evaluated(AGENT_KEY, post)["status"] == "rejected", post
        refused.append((solution["id"], post["id"]))
    return (solution["id"], public["id"]), refused


SHARED_AGENT = call("GET", "/agents/me", AGENT_KEY)["id"]
PUBLIC_POST, REFUSED_POSTS = seed()

# Ids that answers named, newest last; the path of the operation that names them is the key.
KNOWN = collections.defaultdict(lambda: collections.deque(maxlen=20))
# Open debates of the arena: state and newest argument by id.
DEBATES = {}


@schemathesis.hook
def after_call(context, case, response):
    ANSWERS[case.operation.label][response.status_code] += 1
    CASES.add(case.id)
    if not 200 <= response.status_code < 300 or case.method not in ("POST", "DELETE"):
        return
    path = case.operation.path
    if path.startswith("/debates"):
        remember_debate(case, response)
    elif case.method == "POST" and path in ID_PATHS:
        body = response.json()
        KNOWN[path].append(body.get("data", body))
    elif case.method == "DELETE" and path.endswith("}"):
        forget(case)


def remember_debate(case, response):
    data = response.json()["data"]
    if "/seats" in case.operation.path:
        return
    if "debate" in data and data["debate"]["seats"]:
        return
    if "debate" in data:
        DEBATES[data["debate"]["id"]] = (data["debate"]["state"], data["argument"]["id"])
    else:
        DEBATES.pop(case.path_parameters["id"], None)


def forget(case):
    """A deleted problem takes its solutions and evaluations with it, a deleted solution its own."""
    deleted = set(case.path_parameters.values())
    for path, items in KNOWN.items():
        kept = [item for item in items if deleted.isdisjoint((item["id"], item.get("problemId")))]
        KNOWN[path] = collections.deque(kept, maxlen=items.maxlen)


PROBLEMS = "/api/v1/problems"
SOLUTIONS = "/api/v1/solutions"
POSTS = "/api/v1/solutions/{solutionId}/debates"
REGISTER = "/api/v1/auth/agents/register"
ROTATE = "/api/v1/auth/agents/rotate-key"
PATCH_AGENT = "/api/v1/admin/agents/{agentId}"
RUNS = "/runner/debates"
ID_PATHS = {PROBLEMS, SOLUTIONS, POSTS, RUNS}


@schemathesis.hook
def before_call(context, case, kwargs):
    keep_shared_agent(case)
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if case.meta.phase.name.name == "STATEFUL":
        make_repeatable(case)
    elif next(NUMBERS) % 2:
        use_known_ids(case)


def make_repeatable(case):
    """Hypothesis repeats the beginnings of scenarios and gives up when the answers differ: names
    must be free each time, and evaluations finished."""
    path, body = case.operation.path, case.body
    if path == "/debates" and isinstance(body, dict):
        body["debate_id"] = str(uuid.uuid4())
        # The later steps of a scenario have no tokens of seats.
        body.pop("seats", None)
        body.pop("invite_only", None)
    elif path == REGISTER and isinstance(body, dict):
        body["username"] = f"{body['username'][:50]}_{os.getpid()}x{next(NUMBERS)}"
    elif path == RUNS:
        (case.headers or {}).pop("Idempotency-Key", None)
    elif path.startswith("/api/v1/admin/flagged/{evaluationId}"):
        wait_for_evaluation(case.path_parameters["evaluationId"])


def wait_for_evaluation(evaluation):
    headers = {"Authorization": f"Bearer {REVIEWER_TOKEN}"}
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        path = f"{FORUM}/admin/flagged/{evaluation}"
        answer = requests.get(path, headers=headers, timeout=60)
        if answer.status_code != 200 or answer.json()["data"]["evaluation"]["status"] != "pending":
            return
        time.sleep(0.02)


def use_known_ids(case):
    path = case.operation.path
    if path.startswith("/debates/{id}/seats"):
        use_debate_with_seats(case)
    elif path == "/session/codes":
        prove_arbitrator_rights(case)
    elif path.startswith("/debates/{id}"):
        use_known_debate(case)
    elif path.startswith("/runner/debates/{id}") and KNOWN[RUNS]:
        case.path_parameters["id"] = newest(RUNS)["id"]
    elif path.startswith("/api/v1/"):
        use_known_forum_ids(case)


def keep_shared_agent(case):
    """A rotated key, or a deactivated agent, would leave nothing to test but 401."""
    path = case.operation.path
    headers = case.headers or {}
    if path == ROTATE and headers.get("Authorization") == f"Bearer {AGENT_KEY}":
        case.headers["Authorization"] = f"Bearer {register()['apiKey']}"
    if path == PATCH_AGENT and case.path_parameters.get("agentId") == SHARED_AGENT:
        case.path_parameters["agentId"] = register()["agentId"]


def newest(path):
    return KNOWN[path][-1]


def use_known_debate(case):
    """A debate in a state in which the operation can succeed."""
    wanted = {
        "appeal": {"AWAITING_PROPOSER"},
        "resolution": {"AWAITING_PROPOSER"},
        "arguments": {"AWAITING_OPPONENT", "AWAITING_PROPOSER"},
        "intervention": {"AWAITING_OPPONENT", "AWAITING_PROPOSER"},
        "ruling": {"AWAITING_ARBITRATOR", "INTERVENTION_PENDING"},
    }.get(case.operation.path.rsplit("/", 1)[-1])
    found = (item for item in reversed(DEBATES.items()) if not wanted or item[1][0] in wanted)
    debate, (state, argument) = next(found, None) or open_debate(wanted)
    case.path_parameters["id"] = debate
    if isinstance(case.body, dict) and "target_id" in case.body:
        case.body["target_id"] = argument
    if isinstance(case.body, dict) and "role" in case.body:
        case.body["role"] = state.removeprefix("AWAITING_").lower()


def use_debate_with_seats(case):
    """A new debate whose opponent's seat is open, with the credential that may release it."""
    case.path_parameters["id"] = open_debate(None, seats=True)[0]
    if "role" in case.path_parameters:
        case.path_parameters["role"] = "opponent"
    if case.method == "DELETE":
        prove_arbitrator_rights(case)


def prove_arbitrator_rights(case):
    headers = case.headers if case.headers is not None else {}
    headers["Debate-Arbitrator"] = ARBITRATOR_TOKEN
    case.headers = headers


def open_debate(wanted, seats=False):
    """A new debate in one of the states: its id, its state and its newest argument."""
    debate = str(uuid.uuid4())
    body = {"debate_id": debate, "title": "Wells", "debate_type": "general_debate"}
    body |= {"motion_content": TEXT, "client_request_id": str(uuid.uuid4()), "seats": seats}
    data = send("POST", f"{URL}/debates", body=body)
    if wanted and "AWAITING_OPPONENT" not in wanted:
        claim = {"role": "opponent", "target_id": data["argument"]["id"], "content": TEXT}
        claim["client_request_id"] = str(uuid.uuid4())
        data = send("POST", f"{URL}/debates/{debate}/arguments", body=claim)
    if wanted and "INTERVENTION_PENDING" in wanted:
        data = send("POST", f"{URL}/debates/{debate}/intervention")
    return debate, (data["debate"]["state"], data["argument"]["id"])


def use_known_forum_ids(case):
    path, ids = case.operation.path, case.path_parameters
    if path.endswith("/appeal") and REFUSED_POSTS:
        ids["solutionId"], ids["debateId"] = REFUSED_POSTS.pop()
    elif "debateId" in ids:
        ids["solutionId"], ids["debateId"] = PUBLIC_POST
    elif "solutionId" in ids and case.method != "DELETE":
        ids["solutionId"] = PUBLIC_POST[0]
    elif "solutionId" in ids and KNOWN[SOLUTIONS]:
        ids["solutionId"] = newest(SOLUTIONS)["id"]
    elif "problemId" in ids and KNOWN[PROBLEMS]:
        ids["problemId"] = newest(PROBLEMS)["id"]
    elif path == SOLUTIONS and case.method == "POST" and KNOWN[PROBLEMS]:
        case.body["problemId"] = newest(PROBLEMS)["id"]
    elif "evaluationId" in ids and KNOWN[PROBLEMS]:
        use_known_evaluation(case)


def use_known_evaluation(case):
    """An item that waits for review, claimed where the operation needs it."""
    evaluation = evaluated(AGENT_KEY, newest(PROBLEMS))
    case.path_parameters["evaluationId"] = evaluation["id"]
    needs_claim = case.operation.path.endswith(("/release", "/review"))
    if needs_claim and evaluation["status"] == "flagged":
        call("POST", f"/admin/flagged/{evaluation['id']}/claim", REVIEWER_TOKEN)


ANSWERS = collections.defaultdict(collections.Counter)
CASES = set()


@atexit.register
def write_report():
    with open(REPORT, "w", encoding="utf-8") as file:
        json.dump({"cases": len(CASES), "answers": ANSWERS}, file, indent=1)
