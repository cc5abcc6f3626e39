"""Patterns of English requests to an assistant, and of prompts that give it a role."""

from __future__ import annotations

_POLITE = r"(?:please |pls |kindly |now |then |also |and |ok |okay |so |next ){0,6}"
_TEXT = (
    r"(?:poem|story|stories|essay|article|e-?mail|letter|posts?|blog|scripts?|pitch|song|lyrics|summary|paragraphs?|"
    r"speech|report|code|program|function|quer(?:y|ies)|lists?|tables?|outline|captions?|tweets?|headlines?|slogans?|"
    r"description|review|bio|cv|resume|prompts?|examples?|ideas|questions|options|names|titles|recipes?|dialogue|"
    r"chapter|scene|sentences?|playbook|ansible\w*|dockerfile|regex|template|sketch|joke|press release|newsletter|"
    r"itinerary|schedule|plan|proposal|statement|conversation|flowchart|diagram|guide|tutorial|quiz)"
)
_LASTS = (  # what is asked for good is a rule, and no request
    r"always|never|every|each|all (?:the|my|your|of)|whenever|when|any ?time|before|after|unless|until|from now on|"
    r"in (?:the )?future|going forward|by default|instead of|rather than|any day|remember|for good|per"
)
_ONCE = rf"(?!.*\b(?:{_LASTS})\b)"
_MAKE = r"(?:write|compose|draft|create|generate|make|design|build|give|produce|prepare|craft|come up with)"
_STATEMENT_VERB = (
    r"(?! (?:is|was|are|were|has|had|lives?|runs?|needs?|takes?|must|should|will)\b)"  # `draft plan is due`
)

# What asks for something once: `write me a poem`, `can you explain …`, `…, compose a sales pitch`.
REQUEST = (
    rf"^{_POLITE}{_ONCE}(?:"
    rf"{_MAKE} (?:me|us) (?:an?|some|the|\d+|two|three|five|ten|another)\b|"
    rf"{_MAKE} (?:an?|some|the|\d+|two|three|four|five|ten|another|more)? ?"
    rf"(?:[\w'-]+ ){{0,4}}{_TEXT}\b{_STATEMENT_VERB}|"
    r"(?:determine|identify|elaborate|summari[sz]e|rewrite|rephrase|paraphrase|translate|explain|describe|discuss|"
    r"analy[sz]e) (?:how|why|what|which|the|this|these|it|that|an?|your|my|in|on|to)\b|"
    r"(?:can|could|would|will) you (?:please |also |now |just )*(?!stop\b|not\b|avoid\b)(?:write|make|give|help|tell|"
    r"show|explain|create|suggest|do|find|list|provide|recommend|generate|rewrite|rephrase|come|summari[sz]e|"
    r"translate|recreate|describe|add|fix|look|elaborate|continue)\b"
    r")|"
    rf"^[^.]*, {_MAKE} (?:me |us )?an? (?:[\w'-]+ ){{0,3}}{_TEXT}\b(?! (?:for|to) (?:my|our|her|his))"
)

_SERVE = (  # what an assistant does; `your task is to water the plants` is said to a person
    r"(?:act|analy[sz]e|answer|assist|be (?:an?|my)|classify|code|compare|compose|convert|correct|create|critique|"
    r"debug|describe|design|determine|draft|edit|evaluate|explain|extract|find|generate|give|guide|help|identify|"
    r"implement|improve|interpret|list|make|output|paraphrase|play|predict|produce|proofread|provide|rate|read|rephrase|"
    r"reply|respond|review|rewrite|role-?play|score|simulate|solve|suggest|summari[sz]e|teach|tell|translate|write)"
)

# What casts the assistant in a role: what else is told there is part of the play.
ROLE = (
    r"(?:^|[.!?:;,\n]\s*|\b(?:you|please|now|now on) (?:to |will |should |must |can |please )*)"
    r"(?:act|behave|respond|answer) as (?:if you (?:are|were)|an?|my|the|though you)\b|\bpretend (?:to be|you are|"
    r"you're|that you)\b|\bi want you to (?:act|be|play|pretend)\b|\b(?:stay|remain) in (?:your |the )?(?:role|"
    rf"character)\b|\byour (?:role (?:is|will be) to\b|(?:task|job) (?:is|will be) to {_SERVE}\b)|"
    r"\bi want you to be my\b|\byou (?:will|are going to) "
    r"(?:act|play|role-?play)\b|\bignore (?:all |any )?(?:the )?(?:previous|prior|earlier) (?:instructions|prompts)\b|"
    r"\byou are (?:now )?an? (?:ai|expert|experienced|professional|helpful|senior|world-class|highly|skilled|large "
    r"language model|chat ?bot|assistant)\b"
)
