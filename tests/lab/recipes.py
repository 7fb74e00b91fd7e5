"""How each agent is started in the lab: data.

Every agent gets an empty HOME with just the files that let it start at its input box without an account, and an
environment of its own, so that nothing of the developer's setup leaks in. `{home}`, `{work}`, `{port}` (of the model)
and `{api}` (a free port for the agent's own server) are filled in.

What surprised us: Claude Code checks its vendor's server at the first start, and stops, unless onboarding is marked as
done; 2.1.325 starts in a mode without permission dialogs unless told otherwise; Codex runs turns in a daemon that
outlives the pane unless that is switched off; aider downloads a price list unless it finds one.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tests.lab.dialects import Json

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("PANEWARD_CACHE") or Path.home() / ".cache" / "paneward") / "lab"
KEY = "sk-ant-lab-key-00000000000000000000000000"


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    program: str  # below the folder of its package
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()  # below HOME; contents with the places filled in
    composer: str = ""  # pattern of a screen whose input box is there and empty
    started: str = ""  # pattern of a screen that shows that the start is over, where the box alone does not
    toolless: bool = False  # its turns offer the model no tools
    repository: bool = False  # it wants to work in a git repository
    resume: tuple[str, ...] = ()  # words by which it takes up its last conversation
    leave: str = "/exit"  # words by which it ends
    node: bool = False  # it runs on Node


def _json(value: Json) -> str:
    """JSON in which places can be filled in."""
    return json.dumps(value, indent=1)


CLAUDE = Recipe(
    name="claude",
    program="node_modules/.bin/claude",
    arguments=("--permission-mode", "default"),
    environment=(
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:{port}"),
        ("ANTHROPIC_API_KEY", KEY),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ),
    files=(
        (
            ".claude.json",
            _json(
                {
                    "hasCompletedOnboarding": True,
                    "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
                    "projects": {"{work}": {"hasTrustDialogAccepted": True}},
                }
            ),
        ),
    ),
    composer=r"(?m)^─{10,}.*\n❯\u00a0",
    resume=("--continue",),
)
CODEX = Recipe(
    name="codex",
    program="node_modules/.bin/codex",
    environment=(("CODEX_HOME", "{home}/.codex"), ("LAB_KEY", "none")),
    files=(
        (
            ".codex/config.toml",
            """\
model = "lab-model"
model_provider = "lab"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[model_providers.lab]
name = "Lab"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "LAB_KEY"
[analytics]
enabled = false
[features]
daemon_auto_start = false
plugins = false
[projects."{work}"]
trust_level = "trusted"
""",
        ),
    ),
    composer=r"(?m)^› ",
    started=r"lab-model",
    resume=("resume", "--last"),
    leave="/quit",
    node=True,
)
OPENCODE = Recipe(
    name="opencode",
    program="node_modules/.bin/opencode",
    arguments=("--port", "{api}"),
    environment=(
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_DISABLE_SHARE", "1"),
    ),
    files=(
        (
            ".config/opencode/opencode.json",
            _json(
                {
                    "autoupdate": False,
                    "share": "disabled",
                    "model": "lab/lab-model",
                    "small_model": "lab/lab-model",
                    "enabled_providers": ["lab"],
                    "permission": {"bash": "ask", "edit": "ask"},
                    "provider": {
                        "lab": {
                            "npm": "@ai-sdk/openai-compatible",
                            "name": "Lab",
                            "options": {"baseURL": "http://127.0.0.1:{port}/v1", "apiKey": "none"},
                            "models": {
                                "lab-model": {
                                    "name": "Lab Model",
                                    "tool_call": True,
                                    "limit": {"context": 200000, "output": 8000},
                                }
                            },
                        }
                    },
                }
            ),
        ),
    ),
    composer=r"Ask anything",
    resume=("--continue",),
)
GEMINI = Recipe(
    name="gemini",
    program="node_modules/.bin/gemini",
    arguments=("-m", "gemini-2.5-flash"),
    environment=(
        ("GEMINI_API_KEY", "none"),
        ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:{port}"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("NO_BROWSER", "1"),
    ),
    files=(
        (
            ".gemini/settings.json",
            _json(
                {
                    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
                    "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
                    "privacy": {"usageStatisticsEnabled": False},
                    "telemetry": {"enabled": False},
                }
            ),
        ),
    ),
    composer=r"(?m)^ > +Type your message",
    started=r"Authenticated with",
    resume=("--resume", "latest"),
    leave="/quit",
    node=True,
)
AIDER = Recipe(
    name="aider",
    program="bin/aider",
    arguments=("--model", "openai/lab-model", "--no-show-model-warnings"),
    environment=(
        ("OPENAI_API_BASE", "http://127.0.0.1:{port}/v1"),
        ("OPENAI_API_KEY", "none"),
        ("AIDER_ANALYTICS_DISABLE", "true"),
        ("AIDER_CHECK_UPDATE", "false"),
        ("AIDER_SHOW_RELEASE_NOTES", "false"),
        ("AIDER_GITIGNORE", "false"),
        ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
    ),
    files=(
        (".gitconfig", "[user]\nname = Lab\nemail = lab@example.invalid\n[init]\ndefaultBranch = main\n"),
        (
            ".aider/caches/model_prices_and_context_window.json",
            _json(
                {
                    "openai/lab-model": {
                        "max_tokens": 8000,
                        "max_input_tokens": 200000,
                        "max_output_tokens": 8000,
                        "litellm_provider": "openai",
                        "mode": "chat",
                    }
                }
            ),
        ),
    ),
    composer=r"(?m)^> *\s*\Z",
    toolless=True,
    repository=True,
    resume=("--restore-chat-history",),
)
RECIPES = {recipe.name: recipe for recipe in (CLAUDE, CODEX, OPENCODE, GEMINI, AIDER)}


def pins() -> list[tuple[str, str]]:
    """The agents and versions that the lab installs, the newest of each first."""
    return [(kind, version) for kind, version in _pinned() if kind in RECIPES]


def nodes() -> list[str]:
    """The major versions of Node that the lab knows; the first is what agents run on unless told otherwise."""
    return [version.partition(".")[0] for kind, version in _pinned() if kind == "node"]


def _pinned() -> list[tuple[str, str]]:
    rows = [line.split() for line in (HERE / "pins.txt").read_text().splitlines() if not line.startswith("#")]
    return [(kind, version) for kind, _, version, *_ in rows]
