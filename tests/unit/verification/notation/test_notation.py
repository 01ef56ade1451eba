"""Alice-and-Bob notation: texts round-trip, and errors have their place."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import limits
from protocol.i18n import english_text
from verification.notation.message_parser import SECTIONS, SORTS, WORDS
from verification.notation.printer import print_protocol
from verification.notation.protocol_parser import decode_protocol, parse_protocol
from verification.notation.tokens import NotationError
from verification.protocol_model import (
    ChannelEnd,
    ChannelKind,
    Goal,
    GoalKind,
    InitialKnowledge,
    MessageAction,
    Protocol,
)
from verification.protocols.catalog import BUILT_IN_PROTOCOLS
from verification.terms import (
    Sort,
    application,
    asymmetric,
    constant,
    exponent,
    inverse,
    pair,
    symmetric,
    variable,
)

ALL = """\
# Every construct there is.
Protocol: All_of_it
Types: Agent A,B,s; Number NA,g; Symmetric_key K; PublicKey P; Format f; Untyped X; Function pk
Knowledge: A: A,B,pk,inv(pk(A)),(g,pre); B: A,B; s: A where A!=B, B!=s
Actions:
A -> B: NA,(A,g),exp(exp(g,NA),X)
B *-> [A]: {|NA,K|}K
[A]->*B : {{NA}inv(P)}(pk(B))
s*->*B: f(NA,f2(A))
Goals: B authenticates A on NA,K
A weakly authenticates B on NA; NA guessable secret between A,B
exp(g,NA) secret between A,B,s
A *->* B: NA; B *-> A: K; B->*A: K
"""
A, B, S = (variable("A", Sort.AGENT), variable("B", Sort.AGENT), constant("s", Sort.AGENT))
NA, G, K = (
    variable("NA", Sort.NUMBER),
    constant("g", Sort.NUMBER),
    variable("K", Sort.SYMMETRIC_KEY),
)
P, X, PK = (
    variable("P", Sort.PUBLIC_KEY),
    variable("X", Sort.UNTYPED),
    constant("pk", Sort.FUNCTION),
)


def test_every_construct_is_read():
    fresh = application(constant("f2", Sort.FUNCTION), A)
    assert parse_protocol(ALL) == Protocol(
        "All_of_it",
        (
            InitialKnowledge(A, (A, B, PK, inverse(application(PK, A)), pair(G, constant("pre")))),
            InitialKnowledge(B, (A, B)),
            InitialKnowledge(S, (A,)),
        ),
        (
            MessageAction(
                ChannelEnd(A),
                ChannelKind.INSECURE,
                ChannelEnd(B),
                pair(NA, pair(A, G), exponent(G, NA, X)),
            ),
            MessageAction(
                ChannelEnd(B), ChannelKind.AUTHENTIC, ChannelEnd(A, True), symmetric(pair(NA, K), K)
            ),
            MessageAction(
                ChannelEnd(A, True),
                ChannelKind.CONFIDENTIAL,
                ChannelEnd(B),
                asymmetric(asymmetric(NA, inverse(P)), application(PK, B)),
            ),
            MessageAction(
                ChannelEnd(S),
                ChannelKind.SECURE,
                ChannelEnd(B),
                application(constant("f", Sort.FORMAT), NA, fresh),
            ),
        ),
        (
            Goal(GoalKind.AGREEMENT, (B, A), pair(NA, K)),
            Goal(GoalKind.WEAK_AGREEMENT, (A, B), NA),
            Goal(GoalKind.GUESSABLE, (A, B), NA),
            Goal(GoalKind.SECRET, (A, B, S), exponent(G, NA)),
            Goal(GoalKind.SECURE, (A, B), NA),
            Goal(GoalKind.AUTHENTIC, (B, A), K),
            Goal(GoalKind.CONFIDENTIAL, (B, A), K),
        ),
        ((A, B), (B, S)),
    )


@pytest.mark.parametrize(
    "text",
    [ALL, *(shipped.text for shipped in BUILT_IN_PROTOCOLS.values())],
    ids=["all", *BUILT_IN_PROTOCOLS],
)
@pytest.mark.slow
def test_printed_protocol_round_trips(text):
    found = parse_protocol(text)
    assert parse_protocol(print_protocol(found)) == found
    assert print_protocol(parse_protocol(print_protocol(found))) == print_protocol(found)


def _wrong(text: str | bytes) -> NotationError:
    with pytest.raises(NotationError) as caught:
        parse_protocol(text) if isinstance(text, str) else decode_protocol(text)
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Protocol:", "^Protokol:", '"Protocol" is expected here, not "Protokol"'),
        ("Agent A,B", "Agent A ^B", '";" or "Knowledge" is expected here, not "B"'),
        ("Untyped X", "Untyped ^A", "a name that has no type yet is expected here"),
        ("B: A,B;", "^C: A,B;", "a name that Types calls an Agent"),
        ("B: A,B;", "^A: A,B;", "a role whose knowledge has not been told yet"),
        ("A!=B,", "A^=B,", "a name or a sign of the notation"),
        ("A -> B", "A ^=> B", "a name or a sign"),
        ("A -> B", "A  ^B", "an arrow (->, *->, ->*, *->*)"),
        ("(A,g)", "(A,^Zed)", "a name that Types declares"),
        ("(g,pre);", "(g,pre^;", '")" is expected'),
        ("exp(g,NA),X)", "^exp(g),X)", '"exp" of 2 messages'),
        ("{|NA,K|}K", "{|NA,K^}K", '"|}" is expected'),
        ("f2(A)", "^K(A)", "a function's name"),
        ("authenticates A on NA", "authenticates ^C on NA", "a role that Knowledge speaks of"),
        ("NA guessable secret", "NA ^unknown secret", '"secret" or "guessable" after a message'),
        ("B->*A: K", "B^->A: K", "an arrow (*->, ->*, *->*)"),
    ],
)
def test_notation_errors_have_place_and_expectation(old, new, says):
    assert old in ALL
    marked = ALL.replace(old, new, 1)
    before = marked.partition("^")[0]
    error = _wrong(marked.replace("^", ""))
    assert says in english_text(error.phrase)
    assert (error.line, error.column) == (
        before.count("\n") + 1,
        len(before) - before.rfind("\n"),
    ), english_text(error.phrase)


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN_PROTOCOLS)
def test_text_cut_anywhere_is_reported_with_place(name):
    data = BUILT_IN_PROTOCOLS[name].text.rstrip().encode()
    begin = data.index(b"Protocol:")
    whole = parse_protocol(data.decode())
    for end in [*range(0, begin, 40), *range(begin, len(data))]:
        try:
            left = decode_protocol(data[:end])
        except NotationError as error:
            lines = data[:end].decode().split("\n")
            assert 1 <= error.line <= len(lines)
            assert 1 <= error.column <= len(lines[error.line - 1]) + 1
        else:  # the rest is a protocol with fewer goals, or with a shorter last name
            assert left.actions == whole.actions
            assert len(left.goals) <= len(whole.goals)
            assert b"Goals:" in data[:end]


@pytest.mark.parametrize("word", [*SECTIONS, *SORTS, *WORDS])
def test_every_keyword_misspelt_is_noticed(word):
    text = ALL if re.search(rf"\b{word}\b", ALL) else None
    assert text, "the text above has every keyword"
    for wrong in (word[:-1] + "q", word + "s", word.swapcase()):
        place = next(re.finditer(rf"\b{word}\b", text))
        error = _wrong(text[: place.start()] + wrong + text[place.end() :])
        assert error.line >= text.count("\n", 0, place.start()) + 1


def test_notation_refuses_non_text_bytes():
    error = _wrong(b"Protocol: A\n# \xff")
    assert (error.line, error.column) == (2, 3)
    assert "UTF-8" in english_text(error.phrase)


def _with(
    actions: str = "A->A: A",
    types: str = "Agent A",
    goals: str = "A secret between A",
    knows: str = "A",
) -> str:
    return f"Protocol: P Types: {types} Knowledge: A: {knows} Actions: {actions} Goals: {goals}"


@pytest.mark.parametrize(
    ("least", "more"),
    [
        (lambda n: _with("A->A: " + "(" * n + "A" + ")" * n), limits.MAX_PROTOCOL_DEPTH),
        (lambda n: _with("A->A: " + ",".join("A" * n)), limits.MAX_PROTOCOL_DEPTH + 1),
        (lambda n: _with("A->A: {A}" + "{A}" * (n - 1) + "A"), limits.MAX_PROTOCOL_DEPTH),
        (lambda n: _with("A->A: A;" * n), limits.MAX_PROTOCOL_STEPS),
        (lambda n: _with(goals="A secret between A;" * n), limits.MAX_PROTOCOL_GOALS),
        (lambda n: _with(knows=",".join("A" * n)), limits.MAX_PROTOCOL_MESSAGES),
        (
            lambda n: _with(types="Agent A" + "".join(f",b{i}" for i in range(n - 1))),
            limits.MAX_PROTOCOL_AGENTS,
        ),
        (lambda n: _with(types="Agent A," + "n" * n), limits.MAX_PROTOCOL_NAME),
        (lambda n: _with() + " " * (n - len(_with())), limits.MAX_PROTOCOL_TEXT),
    ],
)
def test_notation_bounds_are_enforced(least, more):
    parse_protocol(least(more))
    assert _wrong(least(more + 1)).line == 1


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [*SECTIONS, *WORDS, *SORTS, *"ABsf{}()[],;:#\n", "->", "*->*", "{|", "|}", "NA"]
        )
    )
)
def test_random_words_are_protocol_or_error(words):
    begin = (
        "Protocol: P Types: Agent A,B,s; Number NA Knowledge: A: A; B: B; s: s Actions: A->B: NA "
    )
    for text in (" ".join(words), begin + " ".join(words)):
        try:
            found = parse_protocol(text)
        except NotationError:
            continue
        assert parse_protocol(print_protocol(found)) == found
