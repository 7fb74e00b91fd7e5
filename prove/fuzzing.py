"""Every operation of the OpenAPI document, with data that is made up: `python -m prove.fuzzing URL SEED EXAMPLES`.

The token is read from standard input; empty: none is sent. Prints one JSON document: how many requests were made, the
answers by status, and under `wrong` what must not be: a 500, or a connection that the server closed on a request.
"""

import json
import sys
from collections import Counter
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

WAITS = 0.05  # seconds that a request may ask to be waited for
ENDLESS = frozenset({"/api/events/stream", "/api/shutdown"})  # `streams` asks for the one, the other ends it all
AGENT = "ada"


class Fuzz:
    def __init__(self, url: str, token: str) -> None:
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._url = url
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []

    def operations(self, document: dict[str, Any]) -> list[Any]:
        schema = schemathesis.openapi.from_dict(document)
        schema.config.update(base_url=self._url)
        found: list[Any] = [result.ok() for result in schema.get_all_operations()]  # type: ignore[union-attr]
        # A host that is made up would be connected to.
        return [one for one in found if one.path not in ENDLESS and (one.method, one.path) != ("post", "/api/hosts")]

    def play(self, operation: Any, mode: GenerationMode, examples: int, number: int) -> None:
        limits = settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        try:
            seed(number)(limits(given(case=operation.as_strategy(generation_mode=mode))(self._ask)))()
        except Unsatisfiable:
            return  # it has nothing that could be off

    def _ask(self, case: Any) -> None:
        hurried(case)
        about = f"{case.method} {case.operation.path}"
        try:
            answer = case.call(headers=self._headers)
        except requests.ConnectionError as error:
            self._failed(about, f"{type(error).__name__}: {error}")
            return
        except (requests.RequestException, ValueError):
            return  # what cannot be sent at all: a header with a line end, a letter that is none
        self.statuses[answer.status_code] += 1
        if answer.status_code >= 500 and answer.json()["error"]["code"] == "INTERNAL_ERROR":
            self._failed(about, f"{answer.status_code} {answer.text[:200]} to {case.as_curl_command()[:600]}")

    def _failed(self, about: str, words: str) -> None:
        if len(self.wrong) < 20:
            self.wrong.append(f"{about}: {words}"[:1000])


def hurried(case: Any) -> None:
    """Nobody is waited for, and half of the requests that name an agent are about the one that there is."""
    named = case.path_parameters or {}
    if isinstance(named.get("agent_id"), str) and len(named["agent_id"]) % 2 and case.method != "DELETE":
        named["agent_id"] = AGENT
    for part in (case.query, case.body):
        if isinstance(part, dict) and isinstance(part.get("timeout"), int | float):
            part["timeout"] = min(part["timeout"], WAITS)
    if case.method == "POST" and isinstance(case.body, dict) and case.path.endswith(("/send", "/keys", "/answer")):
        case.body.setdefault("timeout", WAITS)
    if case.method == "GET" and case.path.endswith("/wait") and isinstance(case.query, dict):
        case.query["timeout"] = WAITS


def main(url: str, number: int, examples: int) -> None:
    token = sys.stdin.readline().strip()
    document = json.loads(sys.stdin.readline())
    fuzz = Fuzz(url, token)
    for operation in fuzz.operations(document):
        for mode in GenerationMode:
            fuzz.play(operation, mode, examples, number)
    told = {"requests": fuzz.statuses.total(), "statuses": dict(sorted(fuzz.statuses.items())), "wrong": fuzz.wrong}
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
