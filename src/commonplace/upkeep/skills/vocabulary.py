"""Word lists that classify tool calls (shells, edits, readers, actions), and the words of a message that agrees."""

from __future__ import annotations

from functools import cache
from typing import Literal

WordListName = Literal["shells", "edits", "readers", "reading", "nested", "books", "actions", "assent"]

_WORD_LISTS: dict[WordListName, str] = {
    # Tools that run a command.
    "shells": """
        bash shell sh zsh exec execute terminal local_shell run_command run_shell run_shell_command run_terminal_cmd
        exec_command execute_command shell_command container.exec""",
    # Tools that change a file.
    "edits": """
        edit write multiedit notebookedit apply_patch create_file write_file edit_file str_replace_editor
        str_replace_based_edit_tool replace_in_file""",
    # Programs that only look, or only change the shell itself.
    "readers": """
        ls cat cd pwd echo printf grep rg egrep fgrep find fd head tail less more wc which whereis type file stat du df
        ps top date whoami id env history man tree jq sort uniq cut awk sed diff cmp true false test [ sleep clear exit
        export source . column xxd nl tr basename dirname realpath readlink uname hostname uptime lsof netstat ss ping
        dig nslookup journalctl set unset alias""",
    # Verbs that only look: `git status`, `list_issues`.
    "reading": """
        status log logs diff show list ls ps images inspect get describe view info search whoami outdated blame top
        explain help reflog freeze read find fetch query grep glob recall look browse check count""",
    # Programs whose verb is the third word: `gh pr view`.
    "nested": "aws az docker fly gcloud gh glab heroku",
    # Tools in which an agent keeps its own books.
    "books": "todowrite todoread todo_write update_plan think memory retain recall task_output",
    # Verbs that change something.
    "actions": """
        add apply backup build bundle cancel chmod chown clone commit compile copy cp create crontab delete deploy
        destroy disable down download dump edit enable exec export generate import init install invite kill killall link
        ln login logout make merge migrate mkdir move mv patch pkill post publish pull push put rebase release reload
        remove rename replace restart restore rm rmdir rollback rollout rsync run scale schedule scp seed send set sign
        ssh start stop submit switch sync tag tar touch uninstall unzip up update upgrade upload write zip""",
    "assent": """
        yes yep yeah ok okay sure thanks thank you thx continue go ahead on proceed do it that this good great perfect
        nice cool fine please now right correct next again try lgtm done ja gut weiter mach danke genau oui merci vas-y
        bien si sí gracias vale sigue claro はい 好 好的 继续 お願い""",
}


@cache
def word_list(name: WordListName) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_WORD_LISTS[name].split())
