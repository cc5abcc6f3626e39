"""Where a turn of OpenClaw happens and who speaks: read off the hook's context, and what that means for memory."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from commonplace.errors import BadArgument

Chat = Literal["private", "group"]
PEERS = {"direct": "private", "dm": "private", "group": "group", "channel": "group"}
WORKERS = {  # what a session's key begins with that no person talks in, and what its turns are called
    "subagent": "subagent",
    "cron": "cron",
    "hook": "hook",
    "acp": "subagent",
    "internal-session-effects": "memory",
}
ANNOUNCED = "announce:"  # begins the id of a run in which a subagent tells its parent what it found
MAIN = "main"  # the agent whose words are shared; and the session of all that is said to an agent in private
ANYBODYS = ("global", "unknown")  # sessions in which the host joins all chats, or of which it does not know
ALONE = ("direct", "dm", "private", "p2p", "im")  # what channels call a chat of two
GROUP_MARK = "@g.us"  # in the number of a group of WhatsApp
CONVERSATION = ("chatId", "channelId", "nativeChannelId")
SENDER = ("senderId", "requesterSenderId")
OWN_CHANNEL = "webchat"  # the host's own page, where only its owner is


class Options(Struct, frozen=True, rename="camel"):
    """What the user chose in the plugin's settings; see `docs/guides/openclaw.md`."""

    recall: bool = True
    capture: bool = True
    budget_tokens: int | None = None
    triggers: tuple[str, ...] = ()
    scope: str = ""
    groups: Literal["none", "capture", "shared"] = "capture"
    owners: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


class Place(Struct, frozen=True):
    """A conversation and who speaks in it.

    `key` names the conversation for good, `session` its present generation. `work` is what kind of turn this is where
    no person asked for it (`subagent cron heartbeat memory hook`, or the host's own word), else empty.
    """

    agent: str = ""
    key: str = ""
    session: str = ""
    chat: Chat = "private"
    channel: str = ""
    conversation: str = ""
    sender: str = ""
    work: str = ""
    is_owner: bool | None = None
    workspace: str = ""
    window: float = 0.0


def options_of(given: dict[str, Any]) -> Options:
    """The settings as they were given; others that are the plugin's own are passed over. Raises BadArgument."""
    try:
        return msgspec.convert(given, Options)
    except msgspec.ValidationError as error:
        raise BadArgument(f"a setting of the plugin is off: {error}", hint="see docs/guides/openclaw.md") from None


def place_of(context: dict[str, Any]) -> Place:
    """The place that a context tells; what is missing or makes no sense in it is empty."""
    key = _word(context, "sessionKey")
    named, rest = _parted(key)
    channel = _word(context, "channel", "messageProvider", "messageChannel")
    owner = context.get("senderIsOwner")
    window = context.get("contextTokenBudget")
    return Place(
        agent=_word(context, "agentId") or named,
        key=key,
        session=_word(context, "sessionId") or key,
        chat=_chat(rest, channel, context),
        channel=channel,
        conversation=_word(context, *CONVERSATION),
        sender=_word(context, *SENDER),
        work=_work(rest, context),
        is_owner=owner if isinstance(owner, bool) else None,
        workspace=_word(context, "workspaceDir"),
        window=float(window) if isinstance(window, int | float) and not isinstance(window, bool) else 0.0,
    )


def not_meant(place: Place, options: Options) -> str:
    """Why an agent has no part in memory; empty if it has."""
    if options.agents and place.agent not in options.agents:
        return f"the agent {place.agent!r} is not among the setting `agents`"
    return ""


def not_served(place: Place, options: Options) -> str:
    """Why a turn neither recalls nor is captured; empty if it is served."""
    if why := not_meant(place, options):
        return why
    if place.work and place.work not in options.triggers:
        return f"a turn of the kind {place.work!r}, which the setting `triggers` does not name"
    if place.chat == "group" and options.groups == "none":
        return "a group, and the setting `groups` is `none`"
    return ""


def not_shown(place: Place, options: Options) -> str:
    """Why private memory is not shown here; empty if it may be."""
    if options.groups == "shared":
        return ""
    if place.chat == "group":
        return "a group: private memory is not shown there unless the setting `groups` is `shared`"
    if is_stranger(place, options):
        return "the sender is not the owner"
    return ""


def is_stranger(place: Place, options: Options) -> bool:
    """Whether somebody else than the owner speaks: so the host says, or the owner's ids are set and this is none."""
    if place.sender and options.owners:
        return place.sender not in options.owners
    return place.is_owner is False


def scope_of(place: Place, options: Options) -> str:
    """Where what is said belongs: each group, each stranger and each other agent than the main one by itself."""
    if place.chat == "group" or is_stranger(place, options):
        return f"chat:{_name_of_chat(place)}"
    named = options.scope.replace("{agent}", place.agent or MAIN)
    return named or (f"agent:{place.agent}" if place.agent not in ("", MAIN) else "")


def _name_of_chat(place: Place) -> str:
    """Its session's key; in a session of many chats the group's own number as well, or who writes in private."""
    first = _parted(place.key)[1].lower().split(":")[0]
    own = place.conversation if place.chat == "group" else place.sender or place.conversation
    if own and first in (MAIN, *ANYBODYS):
        return f"{place.key}:{own}"
    return place.key or place.conversation


def _parted(key: str) -> tuple[str, str]:
    """The agent that a session's key names, and what follows."""
    parts = key.split(":", 2)
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == "agent" else ("", key)


def _chat(rest: str, channel: str, context: dict[str, Any]) -> Chat:
    """Who listens, by a session's key: `main`, `direct:7`, `telegram:group:-1`, `discord:account:channel:9`.

    A key that begins with the channel and says nothing of its listeners may be anybody's. One of many chats tells
    nothing: then it is what the host says of the chat, and a group where it says nothing.
    """
    parts = rest.lower().split(":")
    found = {PEERS[part] for part in parts[:-1][:3] if part in PEERS}
    if found:  # an account can be called as a kind of chat: then it is taken for the one in which less is shown
        return "group" if "group" in found else "private"
    if GROUP_MARK in rest or ":guild-" in rest:
        return "group"
    if channel.lower() == OWN_CHANNEL:
        return "private"
    if len(parts) > 1 and parts[0] == channel.lower():
        return "group"
    return _told_chat(channel, context) or ("private" if _is_one_chat(parts[0], channel, context) else "group")


def _is_one_chat(first: str, channel: str, context: dict[str, Any]) -> bool:
    """Whether a session whose key begins so is of one person, where nobody says otherwise."""
    may_be_a_group = channel or context.get("turn") == "unknown"  # who asks without a turn may be in any chat
    if first in (MAIN, "") and may_be_a_group and context.get("groupScope") == MAIN:  # the host puts groups in there
        return False
    return first in (MAIN, *WORKERS) or (not channel and first not in ANYBODYS)


def _told_chat(channel: str, context: dict[str, Any]) -> Chat | None:
    """Who listens, as far as the fields of the chat say it: its kind, a group's number, or the sender as its name."""
    told = context.get("channelContext")
    chat = told.get("chat") if isinstance(told, dict) else None
    kind = _word(chat, "type", "chatType", "kind").lower() if isinstance(chat, dict) else ""
    if kind:
        return "private" if kind in ALONE else "group"
    conversation = _word(context, *CONVERSATION)
    if GROUP_MARK in conversation or (channel.lower() == "telegram" and conversation.startswith("-")):
        return "group"
    return "private" if conversation and conversation == _word(context, *SENDER) else None


def _work(rest: str, context: dict[str, Any]) -> str:
    """What kind of work this turn is where no person asked for it."""
    first, _, _ = rest.lower().partition(":")
    if first in WORKERS:
        return WORKERS[first]
    if rest.lower().endswith(":heartbeat"):
        return "heartbeat"
    if _word(context, "runId").startswith(ANNOUNCED):
        return "inter_session"
    trigger = _word(context, "trigger")
    if trigger not in ("", "user"):
        return trigger
    return work_told(context.get("inputProvenance"))


def work_told(provenance: Any) -> str:
    """The kind of work that the provenance of an input tells; empty for what comes from outside."""
    if not isinstance(provenance, dict):
        return ""
    kind = _word(provenance, "kind")
    if kind == "internal_system":
        return _word(provenance, "sourceTool") or kind
    return kind if kind == "inter_session" else ""


def _word(context: dict[str, Any], *names: str) -> str:
    """The first of these fields that holds a text or a number."""
    for name in names:
        value = context.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""
