"""The conversation of an OpenClaw turn: the speaker, what may be shown there, and how large a pack may be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from commonplace.capture.imports import object_or_empty, parse_number
from commonplace.errors import BadArgument
from commonplace.shapes import Json

LIGHT_USAGE, MEDIUM_USAGE, HEAVY_USAGE = 0.30, 0.70, 0.85  # of the context in use: where each zone ends
MEDIUM_SHARE, HEAVY_SHARE = 1 / 3, 1 / 6  # of the budget, at the end of the medium and of the heavy zone
MAX_FREE_SHARE = 1 / 4  # no pack takes more of the room that the context still has
BYTES_PER_TOKEN = 4  # of messages as the host has them, nearly: a Chinese character has three bytes


def compute_budget_share(usage: float) -> float:
    """The share of the budget that a pack may take, where `usage` is the part of the context that is in use: below .30
    all; to .70 it falls to a third, slowly at first; to .85 it falls to a sixth evenly, and stays there."""
    if usage <= LIGHT_USAGE:
        return 1.0
    if usage <= MEDIUM_USAGE:
        return 1 - ((usage - LIGHT_USAGE) / (MEDIUM_USAGE - LIGHT_USAGE)) ** 2 * (1 - MEDIUM_SHARE)
    if usage < HEAVY_USAGE:
        return MEDIUM_SHARE - (usage - MEDIUM_USAGE) / (HEAVY_USAGE - MEDIUM_USAGE) * (MEDIUM_SHARE - HEAVY_SHARE)
    return HEAVY_SHARE


def compute_pack_budget(max_tokens: int, window: float, used_bytes: float) -> int:
    """The tokens that a pack may have, `max_tokens` at most: `window` is the host's context in tokens, `used_bytes` the
    size of the messages in it. Without a window, all."""
    if window <= 0:
        return max_tokens
    used = max(0.0, used_bytes) / BYTES_PER_TOKEN
    left = max(0.0, window - used)
    return min(int(max_tokens * compute_budget_share(used / window)), int(left * MAX_FREE_SHARE))


ChatKind = Literal["private", "group"]
# Where an agent works: in the notebook; elsewhere, while the notebook is nobody's workspace; elsewhere, while it is
# the workspace of other agents.
AgentRole = Literal["resident", "member", "guest"]
PEER_CHATS = {"direct": "private", "dm": "private", "group": "group", "channel": "group"}
WORKER_TURNS = {  # what a session's key begins with that no person talks in, and what its turns are called
    "subagent": "subagent",
    "cron": "cron",
    "hook": "hook",
    "acp": "subagent",
    "internal-session-effects": "memory",
}
ANNOUNCE_PREFIX = "announce:"  # begins the id of a run in which a subagent tells its parent what it found
MAIN_AGENT = "main"  # the agent whose words are shared; and the session of all that is said to an agent in private
SHARED_SESSIONS = ("global", "unknown")  # sessions in which the host joins all chats, or of which it does not know
PRIVATE_CHAT_TYPES = ("direct", "dm", "private", "p2p", "im")  # what channels call a chat of two
GROUP_MARK = "@g.us"  # in the number of a group of WhatsApp
CONVERSATION_KEYS = ("chatId", "channelId", "nativeChannelId")
SENDER_KEYS = ("senderId", "requesterSenderId")
OWN_CHANNEL = "webchat"  # the host's own page, where only its owner is


class OpenClawOptions(Struct, frozen=True, rename="camel"):
    """The settings of the plugin; see `docs/guides/openclaw.md`."""

    recall: bool = True
    capture: bool = True
    budget_tokens: int | None = None
    triggers: tuple[str, ...] = ()
    scope: str = ""
    groups: Literal["none", "capture", "shared"] = "capture"
    owners: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    sharing: Literal["own", "all"] = "own"


class Conversation(Struct, frozen=True):
    """A conversation and who speaks in it: `key` names it for good, `session` its present generation; `turn_kind` is
    empty, or what a turn is that no person asked for (`subagent cron heartbeat memory hook`, or the host's own word);
    with `has_peers` there are other agents."""

    agent: str = ""
    key: str = ""
    session: str = ""
    chat: ChatKind = "private"
    channel: str = ""
    conversation: str = ""
    sender: str = ""
    turn_kind: str = ""
    is_owner: bool | None = None
    workspace: str = ""
    window: float = 0.0
    role: AgentRole = "resident"
    has_peers: bool = False


def parse_plugin_options(raw_options: Json) -> OpenClawOptions:
    """The settings as they were given; others that are the plugin's own are skipped. Raises BadArgument."""
    try:
        return msgspec.convert(raw_options, OpenClawOptions)
    except msgspec.ValidationError as error:
        raise BadArgument(f"a setting of the plugin is off: {error}", hint="see docs/guides/openclaw.md") from None


def parse_conversation(context: Json, root: str = "") -> Conversation:
    """The conversation of a context, with a notebook at `root`; fields that are missing or malformed are empty."""
    key = _read_first_field(context, "sessionKey")
    named, rest = _split_session_key(key)
    channel = _read_first_field(context, "channel", "messageProvider", "messageChannel")
    owner = context.get("senderIsOwner")
    agent = _read_first_field(context, "agentId") or named
    given = object_or_empty(context.get("workspaces"))
    workspaces = {id_: path for id_, path in given.items() if isinstance(path, str)}
    workspace = workspaces.get(agent, _read_first_field(context, "workspaceDir"))
    return Conversation(
        agent=agent,
        key=key,
        session=_read_first_field(context, "sessionId") or key,
        chat=_classify_chat(rest, channel, context),
        channel=channel,
        conversation=_read_first_field(context, *CONVERSATION_KEYS),
        sender=_read_first_field(context, *SENDER_KEYS),
        turn_kind=_classify_turn(rest, context),
        is_owner=owner if isinstance(owner, bool) else None,
        workspace=workspace,
        window=parse_number(context.get("contextTokenBudget")) or 0.0,
        role=classify_agent(agent, ({agent: workspace} if workspace else {}) | workspaces, root),
        has_peers=len(workspaces) > 1,
    )


def classify_agent(agent: str, workspaces: Mapping[str, str], root: str) -> AgentRole:
    """Where an agent works, by the workspaces of the agents; a resident where none is known. Of an agent other than the
    main one whose peers are not known, the notebook is taken to be another's."""
    residents = [name for name, path in workspaces.items() if os.path.realpath(path) == os.path.realpath(root)]
    if agent in residents or not (workspaces and root):
        return "resident"
    is_alone = agent != MAIN_AGENT and not workspaces.keys() - {agent}
    return "guest" if residents or is_alone else "member"


def sees_shared(conversation: Conversation, plugin_options: OpenClawOptions) -> bool:
    """Whether the core and the lines without a scope are shown: not to guests, unless the settings say so."""
    return conversation.role != "guest" or plugin_options.sharing == "all"


def find_agent_refusal(conversation: Conversation, plugin_options: OpenClawOptions) -> str:
    """The reason why an agent has no part in memory; empty if it has."""
    if plugin_options.agents and conversation.agent not in plugin_options.agents:
        return f"the agent {conversation.agent!r} is not among the setting `agents`"
    return ""


def find_turn_refusal(conversation: Conversation, plugin_options: OpenClawOptions) -> str:
    """The reason why a turn neither recalls nor is captured; empty if it is served."""
    if why := find_agent_refusal(conversation, plugin_options):
        return why
    if conversation.turn_kind and conversation.turn_kind not in plugin_options.triggers:
        return f"a turn of the kind {conversation.turn_kind!r}, which the setting `triggers` does not name"
    if conversation.chat == "group" and plugin_options.groups == "none":
        return "a group, and the setting `groups` is `none`"
    return ""


def find_display_refusal(conversation: Conversation, plugin_options: OpenClawOptions) -> str:
    """The reason why private memory is not shown here; empty if it may be."""
    if plugin_options.groups == "shared":
        return ""
    if conversation.chat == "group":
        return "a group: private memory is not shown there unless the setting `groups` is `shared`"
    if is_stranger(conversation, plugin_options):
        return "the sender is not the owner"
    return ""


def is_stranger(conversation: Conversation, plugin_options: OpenClawOptions) -> bool:
    """Whether the speaker is not the owner, as the host says, or by the ids of the owner in the settings."""
    if conversation.sender and plugin_options.owners:
        return conversation.sender not in plugin_options.owners
    return conversation.is_owner is False


def resolve_conversation_scope(conversation: Conversation, plugin_options: OpenClawOptions) -> str:
    """The scope of a conversation: each group, each stranger and each agent has its own, but for the main one where it
    works in the notebook, or is the only one."""
    if conversation.chat == "group" or is_stranger(conversation, plugin_options):
        own = (conversation.sender if conversation.chat != "group" else "") or conversation.conversation
        first = _split_session_key(conversation.key)[1].lower().split(":")[0]
        if own and first in (MAIN_AGENT, *SHARED_SESSIONS):  # a session of many chats
            return f"chat:{conversation.key}:{own}"
        return f"chat:{conversation.key or conversation.conversation}"
    agent = conversation.agent or MAIN_AGENT
    if named := plugin_options.scope.replace("{agent}", agent):
        return named
    is_shared = agent == MAIN_AGENT and (conversation.role == "resident" or not conversation.has_peers)
    return "" if is_shared else f"agent:{agent}"


def _split_session_key(key: str) -> tuple[str, str]:
    """The agent that a session's key names, and what follows."""
    parts = key.split(":", 2)
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == "agent" else ("", key)


def _classify_chat(session_rest: str, channel: str, context: Json) -> ChatKind:
    """The kind of a chat by the key of its session: `main`, `direct:7`, `telegram:group:-1`,
    `discord:account:channel:9`. One that begins with the channel and says nothing of its listeners may be anybody's; in
    a session of many chats it is what the host says of the chat, and a group where it says nothing."""
    parts = session_rest.lower().split(":")
    found = {PEER_CHATS[part] for part in parts[:-1][:3] if part in PEER_CHATS}
    if found:  # an account can be called as a kind of chat: then it is taken for the one in which less is shown
        return "group" if "group" in found else "private"
    is_guild = GROUP_MARK in session_rest or ":guild-" in session_rest
    if is_guild or channel.lower() == OWN_CHANNEL:
        return "group" if is_guild else "private"
    if len(parts) > 1 and parts[0] == channel.lower():
        return "group"
    if declared := _read_declared_chat(channel, context):
        return declared
    may_be_a_group = channel or context.get("turn") == "unknown"  # who asks without a turn may be in any chat
    if parts[0] in (MAIN_AGENT, "") and may_be_a_group and context.get("groupScope") == MAIN_AGENT:
        return "group"  # the host puts groups in there
    is_own = parts[0] in (MAIN_AGENT, *WORKER_TURNS) or (not channel and parts[0] not in SHARED_SESSIONS)
    return "private" if is_own else "group"


def _read_declared_chat(channel: str, context: Json) -> ChatKind | None:
    """The kind of a chat by its declared fields: its kind, a group's number, or the sender as its name."""
    chat = object_or_empty(object_or_empty(context.get("channelContext")).get("chat"))
    if kind := _read_first_field(chat, "type", "chatType", "kind").lower():
        return "private" if kind in PRIVATE_CHAT_TYPES else "group"
    conversation = _read_first_field(context, *CONVERSATION_KEYS)
    if GROUP_MARK in conversation or (channel.lower() == "telegram" and conversation.startswith("-")):
        return "group"
    return "private" if conversation and conversation == _read_first_field(context, *SENDER_KEYS) else None


def _classify_turn(session_rest: str, context: Json) -> str:
    """The kind of a turn that no person started."""
    first, _, _ = session_rest.lower().partition(":")
    if first in WORKER_TURNS:
        return WORKER_TURNS[first]
    if session_rest.lower().endswith(":heartbeat"):
        return "heartbeat"
    if _read_first_field(context, "runId").startswith(ANNOUNCE_PREFIX):
        return "inter_session"
    trigger = _read_first_field(context, "trigger")
    if trigger not in ("", "user"):
        return trigger
    return classify_provenance(context.get("inputProvenance"))


def classify_provenance(provenance: Any) -> str:
    """The kind of work that the provenance of an input indicates; empty for input from outside."""
    kind = _read_first_field(object_or_empty(provenance), "kind")
    if kind == "internal_system":
        return _read_first_field(provenance, "sourceTool") or kind
    return kind if kind == "inter_session" else ""


def _read_first_field(context: Json, *names: str) -> str:
    """The first of these fields that holds a text or a number."""
    for name in names:
        value = context.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""
