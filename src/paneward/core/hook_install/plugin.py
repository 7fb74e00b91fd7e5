"""The plugin that tells of OpenCode: its text, and functions on it."""

import json
from typing import Final

from paneward.core.hook_install.entries import OURS, EditRefused


def edit_plugin(text: str | None, spool: str | None) -> str | None:
    if text is not None and OURS not in text.partition("\n")[0]:
        raise EditRefused("it is not a plugin of Paneward's")
    return None if spool is None else PLUGIN.replace("SPOOL", json.dumps(spool))


PLUGIN: Final = """\
// paneward-hook: managed by `paneward hooks`, which replaces and removes this file.
import { existsSync, writeFileSync } from "node:fs"

const spool = SPOOL
const roles = new Map()
const parents = new Map()
const words = new Map()
const asked = new Map()

function tell(name, session, more) {
  try {
    const body = { hook_event_name: name, session_id: session ?? "", ...more }
    if (parents.get(session)) body.agent_id = session
    const { TMUX_PANE = "", TMUX = "" } = process.env
    let n = 0
    while (existsSync(`${spool}/${process.pid}.${n}`)) n++
    const text = `opencode\\t${TMUX_PANE}\\t${TMUX}\\n${JSON.stringify(body)}\\n.\\n`
    writeFileSync(`${spool}/${process.pid}.${n}`, text, { flag: "wx" })
  } catch {}
}

function bounded(map, key, value) {
  map.delete(key)
  map.set(key, value)
  if (map.size > 200) map.delete(map.keys().next().value)
}

const heard = {
  "session.created": ({ info }) => {
    bounded(parents, info.id, info.parentID)
    tell("SessionStart", info.id, { source: "startup" })
  },
  "message.updated": ({ info }) => bounded(roles, info.id, info.role),
  "message.part.updated": ({ part }) => {
    if (part.type === "text" && roles.get(part.messageID) === "assistant") bounded(words, part.sessionID, part.text)
  },
  "session.idle": ({ sessionID }) => {
    tell("Stop", sessionID, { last_assistant_message: words.get(sessionID) ?? "" })
    words.delete(sessionID)
  },
  "permission.asked": (one) => {
    bounded(asked, one.id, one.permission)
    tell("PermissionRequest", one.sessionID, { tool_name: one.permission })
  },
  "permission.replied": (one) => {
    const tool = asked.get(one.requestID ?? one.permissionID)
    tell("PostToolUse", one.sessionID, { tool_name: tool ?? "" })
  },
  "question.asked": (one) => {
    tell("PreToolUse", one.sessionID, { tool_name: "question", tool_input: { questions: one.questions } })
  },
  "question.replied": (one) => tell("PostToolUse", one.sessionID, { tool_name: "question" }),
  "question.rejected": (one) => tell("PostToolUse", one.sessionID, { tool_name: "question" }),
  "session.compacted": ({ sessionID }) => tell("PostCompact", sessionID, {}),
}

export const Paneward = async () => ({
  event: async ({ event }) => {
    try {
      heard[event.type]?.(event.properties)
    } catch {}
  },
  "chat.message": async (input, output) => {
    try {
      const parts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = parts.map((part) => part.text).join("\\n")
      tell("UserPromptSubmit", input.sessionID, { prompt, prompt_id: input.messageID ?? output.message?.id ?? "" })
    } catch {}
  },
})
"""
