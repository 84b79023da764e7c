"""Plays a debate and reads a run with the client that openapi-python-client generates from the
document. The arguments are the server's address."""

import importlib
import pkgutil
import sys
import time
import uuid

import aweave_client
from aweave_client import Client
from aweave_client.api.arena import claim, intervene, open_, rule, wait
from aweave_client.api.runner import runner_create, runner_start, runner_story
from aweave_client.models import (
    CreateDebate,
    DebateType,
    Failure,
    News,
    RunnerCreateDebate,
    RunnerJudgeMode,
    RunnerSettingsDraft,
    RunnerStatus,
    Side,
    State,
    SubmitClaim,
    SubmitIntervention,
    SubmitRuling,
    WaitAction,
)
from aweave_client.types import UNSET


def import_all_modules() -> None:
    """A module that no call uses must be importable too."""
    for module in pkgutil.walk_packages(aweave_client.__path__, "aweave_client."):
        importlib.import_module(module.name)


def new_key() -> str:
    return str(uuid.uuid4())


def play_debate(client: Client) -> None:
    created = open_.sync(
        client=client,
        body=CreateDebate(
            debate_id=new_key(),
            title="Tabs or spaces",
            debate_type=DebateType.GENERAL_DEBATE,
            motion_content="Tabs.",
            client_request_id=new_key(),
        ),
    )
    debate = created.data.debate.id

    news = wait.sync(debate, client=client, role=Side.OPPONENT, timeout_ms=10_000).data
    assert isinstance(news, News), news
    assert news.action is WaitAction.RESPOND, news

    claimed = claim.sync(
        debate,
        client=client,
        body=SubmitClaim(
            role=Side.OPPONENT,
            target_id=news.argument.id,
            content="Spaces.",
            client_request_id=new_key(),
        ),
    )
    assert claimed.data.debate.state is State.AWAITING_PROPOSER, claimed

    intervene.sync(debate, client=client, body=SubmitIntervention())
    ruled = rule.sync(
        debate, client=client, body=SubmitRuling(content="Either, but not both.", close=True)
    )
    assert ruled.data.debate.state is State.CLOSED, ruled

    refused = intervene.sync(debate, client=client, body=SubmitIntervention())
    assert isinstance(refused, Failure), refused
    assert refused.error.code == "ACTION_NOT_ALLOWED", refused


def read_run(client: Client) -> None:
    settings = RunnerSettingsDraft(
        model_debater="demo:fast",
        model_judge="demo:fast",
        judge_mode=RunnerJudgeMode.ROUND,
        max_rounds=1,
    )
    body = RunnerCreateDebate(topic="Tabs or spaces", settings=settings)
    run = runner_create.sync(client=client, body=body).id
    assert runner_start.sync(run, client=client).enqueued

    deadline = time.monotonic() + 60
    while (story := runner_story.sync(run, client=client)).debate.status is RunnerStatus.RUNNING:
        assert time.monotonic() < deadline, "the run did not end within a minute"
    assert story.debate.status is RunnerStatus.COMPLETED, story.debate
    first, _, judged = story.turns
    assert first.metadata.score_a is UNSET, first
    assert judged.metadata.score_a is not UNSET, judged


if __name__ == "__main__":
    import_all_modules()
    with Client(base_url=sys.argv[1], timeout=30.0) as client:
        play_debate(client)
        read_run(client)
    print("python client: debate played, run read")
