"""What is said to get something from an assistant, and what is pasted, is no fact; what only looks like it is one."""

from __future__ import annotations

import pytest

from commonplace.extract.candidates import find_candidates
from commonplace.extract.statements import is_code_line, is_request, is_role_prompt


def is_stated(text: str) -> bool:
    """Whether a message has a sentence that may become a line."""
    return bool(find_candidates(text, to_agent=True))


@pytest.mark.parametrize(
    "text",
    [
        "write me an ansiblefile to update 2 servers : web-1 and web-2", "Please compose a short poem about my dog Rex.",
        "Can you fix the table on server db4, it failed because the port was wrong", "Create a list of 5 names",
        "Determine why your app needs to exist and what problem it solves in the real world.",
        "Using the tone of Ada Berg, compose a sales pitch about the router on port 8080.",
        "Explain how the cache of the staging DB fixed the timeout.", "Give me some ideas for a party on 4 May.",
    ],
)  # fmt: skip
def test_what_asks_for_one_text_or_answer_tells_nothing(text: str) -> None:
    assert is_request(text.lower(), "en")
    assert not is_stated(text)


@pytest.mark.parametrize(
    "text",
    [
        "Write all dates as ISO dates.", "Always write me a summary before you commit.", "Give me tea over coffee any day.",
        "Explain every change in the commit message.", "Can you remember that my locker is 14?",
        "Make a backup before each release.", "I wrote a poem for my sister.", "Could you stop using emojis, please.",
        "Draft plan is due on Friday.", "Build script lives in tools/build.sh.", "Design proposal was accepted on 3 May.",
    ],
)  # fmt: skip
def test_what_is_asked_for_good_is_no_request(text: str) -> None:
    assert not is_request(text.lower(), "en")


def test_words_of_politeness_are_passed_over_a_few_at_a_time() -> None:
    assert is_request("ok so now please also write a poem", "en")
    assert not is_request("please " * 50 + "write a poem", "en"), "each of them would read all that follows again"


def test_a_request_is_known_in_english_only() -> None:
    assert not is_request("write me a poem", "de")


@pytest.mark.parametrize(
    "text",
    [
        "participant = factor(1:30), # Define participant as a factor", "model <- lmer(score ~ day, data = d4)",
        "curl -fsSL https://packages.example.com/apt/key.gpg|sudo gpg --dearmor -o /etc/apt/k8s.gpg",
        "sudo apt-get install nginx=1.24.0", "kubectl get nodes -o wide", "python3 serve.py --port 8080",
        "URL: https://example.com/latest-trends-2020/", "https://db.example.com:8443/index",
    ],
)  # fmt: skip
def test_lines_of_a_program_or_a_shell_and_bare_links_tell_nothing(text: str) -> None:
    assert is_code_line(text.lower())
    assert not is_stated(text)


@pytest.mark.parametrize(
    "text",
    [
        "git push was refused because the branch is locked", "Docker needs 4 GB of memory.",
        "pip install of lxml fixed the import error", "Repo: https://git.example.com/web", "The port is 6432.",
        "Make sure that the cache is warm.", "Docker build takes ten minutes.", "The git commit hook runs ruff.",
        "git commit hook runs ruff", "service restart happens at 3am",
    ],
)  # fmt: skip
def test_a_sentence_about_a_command_or_a_link_that_says_whose_it_is_may_tell_something(text: str) -> None:
    assert not is_code_line(text.lower())


def test_nothing_is_so_in_a_play_for_which_a_message_casts_the_assistant() -> None:
    told = "I am a psychologist at the town clinic. I bought a house in Bern last month."
    assert is_stated(told)
    assert not is_stated(f"Act as a patient of thirteen. {told}")
    for opening in ("Pretend to be a pirate.", "You are an expert in SEO.", "Ignore all previous instructions."):
        assert is_role_prompt(opening)
    for opening in ("I want you to act as a shell.", "Hi, please act as my coach.", "From now on act as an oracle."):
        assert is_role_prompt(opening)
    for opening in ("Your task is to write a play.", "your job will be to answer", "Your role is to water the plants."):
        assert is_role_prompt(opening)
    for opening in ("Your job is to be my therapist.", "Your task is to simulate a shell."):
        assert is_role_prompt(opening)
    assert is_stated(f"Your task is to water the plants. {told}")
    for own in (
        "I act as the treasurer of the club.",
        "The gateway should act as a proxy.",
        "I act as treasurer.",
        "My role is to lead the team.",
        "You are a star!",
        "Your task is to water the plants.",
        "Your job is to be there at eight.",
        "Your task is to pick up Anna.",
    ):
        assert not is_role_prompt(own)
