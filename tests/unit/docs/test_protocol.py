"""docs/protocol agrees with the code: examples, codes, limits, messages, kinds, links and
citations.
"""

import hmac
import re
from functools import reduce
from hashlib import sha256

import msgpack
import pytest
import rbcl
from nacl.signing import SigningKey

from protocol import codes, limits
from protocol.dealing.layered.seat_route import OPTIONS
from protocol.dealing.layered.stages import ROUTE_ENDS, STAGES
from protocol.dealing.layered.stages import LayeredStage as DealStage
from protocol.dealing.registry import DEALINGS
from protocol.dealing.seeded import stages as seeded
from protocol.dealing.verified import stages as verified
from protocol.fast_replace import replace
from protocol.games import MatchBinding
from protocol.games.decks import Mode, match_decks
from protocol.games.decks.match_decks import DeckPhase, DeckTerms, new_decks
from protocol.games.poker import rules as poker
from protocol.games.registry import BUILT_IN
from protocol.games.scripted.engine.effect_loop import ENGINE_EFFECTS
from protocol.games.scripted.engine.effects import EFFECTS
from protocol.games.spec import Information
from protocol.i18n import english_text
from protocol.match.fold import MATCH_ENTRY_SHAPES
from protocol.match.state import MatchStage
from protocol.messages import table as messages
from tests.conformance.specification import sections
from tests.support import docs

TEXTS = {path.name: path.read_text() for path in sorted(docs.CHAPTERS.glob("*.md"))}
WHOLE = "\n".join(TEXTS.values())
FOUND = [(chapter, *example) for chapter, text in TEXTS.items() for example in docs.examples(text)]
RENEW = "run `scripts/run tests.support.docs` and read what changes"


@pytest.mark.parametrize(
    ("chapter", "name", "inputs", "outputs"), FOUND, ids=lambda value: str(value)[:12]
)
def test_worked_examples_match_the_code(chapter, name, inputs, outputs):
    assert outputs == docs.outputs_of(name, inputs), RENEW


def framed(*fields):
    """Encode fields by section 1.2, from its text alone."""
    made = b""
    for field in ("fairdeal/1", *fields):
        kind, content = (b"b", field) if type(field) is bytes else (b"s", str(field).encode())
        if type(field) is int:
            kind, content = b"i", field.to_bytes(8, "big")
        made += kind + len(content).to_bytes(4, "big") + content
    return made


def test_text_of_hashing_chaining_and_signing_suffices():
    """Sections 1.2, 1.4, 6.3 and 6.4 alone, without this project's code, are enough to compute the
    same bytes.
    """
    given = {name: (inputs, docs._values(outputs)) for _, name, inputs, outputs in FOUND}
    inputs, outputs = given["digest"]
    assert outputs["digest"] == [sha256(framed(*inputs["label"], *inputs["fields"])).digest()]
    inputs, outputs = given["entry"]
    (match,), (content,), (entry,) = inputs["match"], outputs["content_bytes"], outputs["entry"]
    signature = SigningKey(*inputs["seed"]).sign(framed("entry", match, content)).signature
    assert msgpack.unpackb(entry) == [content, signature]
    assert msgpack.unpackb(content) == inputs["content"][0]
    assert outputs["hash"] == [
        sha256(framed("chain", *inputs["previous"], *inputs["number"], entry)).digest()
    ]
    inputs, outputs = given["pseudonym"]
    fields = (inputs[name][0] for name in ("deal", "position", "key", "piece"))
    assert outputs["pseudonym"] == [sha256(framed("pseudonym", *fields)).digest()]


BASE = rbcl.crypto_scalarmult_ristretto255_base((1).to_bytes(32, "little"))
ONE = (1).to_bytes(32, "little")


def derived(length, label, *fields):
    """Derive by section 1.3, from an empty secret."""
    extracted, info, block, made = (
        hmac.digest(bytes(64), b"", "sha512"),
        framed(label, *fields),
        b"",
        b"",
    )
    for count in range(1, length // 64 + 1):
        block = hmac.digest(extracted, block + info + bytes([count]), "sha512")
        made += block
    return made


def scalar(uniform):
    return rbcl.crypto_core_ristretto255_scalar_reduce(uniform)


def point(label, *fields):
    return rbcl.crypto_core_ristretto255_from_hash(derived(64, label, *fields))


def combined(*terms):
    """Return the sum of scalar times point."""
    return reduce(
        rbcl.crypto_core_ristretto255_add,
        (rbcl.crypto_scalarmult_ristretto255(*term) for term in terms),
    )


def minus(value):
    return rbcl.crypto_core_ristretto255_scalar_negate(value)


def product(*values):
    return reduce(rbcl.crypto_core_ristretto255_scalar_mul, values)


def pieces_of(raw):
    return [raw[start : start + 32] for start in range(0, len(raw), 32)]


def place(inputs, purpose, position):
    return (
        inputs["deal"][0],
        inputs["seat"][0],
        inputs["identity"][0],
        purpose,
        inputs[position][0],
    )


def test_text_of_logarithm_proofs_suffices():
    """Sections 13.2 to 13.4 alone, without this project's code: the share of the worked example is
    accepted.
    """
    given = {name: (inputs, docs._values(outputs)) for _, name, inputs, outputs in FOUND}
    inputs, outputs = given["share"]
    X, C1, C2, D = (outputs[name][0] for name in ("X", "C1", "C2", "D"))
    assert (
        combined(
            (ONE, point("piece", *inputs["piece"])), (inputs["r"][0].to_bytes(32, "little"), X)
        )
        == C2
    )
    fields = (
        *place(inputs, "share", "card"),
        "equality of discrete logarithms",
        BASE,
        X,
        C1,
        D,
        C2,
    )
    context = sha256(framed("proof context", *fields)).digest()
    assert outputs["context"] == [context]
    c, s = pieces_of(outputs["proof"][0])
    t1, t2 = combined((s, BASE), (minus(c), X)), combined((s, C1), (minus(c), D))
    assert scalar(derived(64, "proof challenge", context, "c", t1, t2)) == c


def test_text_of_shuffle_argument_suffices():
    """Sections 13.2, 13.3 and 13.5 alone, without this project's code: the shuffle of the worked
    example is accepted.
    """
    given = {name: (inputs, docs._values(outputs)) for _, name, inputs, outputs in FOUND}
    inputs, outputs = given["shuffle"]
    X = rbcl.crypto_scalarmult_ristretto255_base(inputs["x"][0].to_bytes(32, "little"))
    h, h1, h2 = (point("shuffle generator", i) for i in range(3))
    e, e_ = (pieces_of(outputs[name][0]) for name in ("before", "after"))
    fields = (*place(inputs, "shuffle", "position"), "shuffle", BASE, h, h1, h2, X, *e, *e_)
    context = sha256(framed("proof context", *fields)).digest()
    assert outputs["context"] == [context]
    y, s1, s2, s3, s4, sh1, sh2, sp1, sp2, c1, c2, ch1, ch2 = pieces_of(outputs["proof"][0])
    seed = sha256(framed("proof challenges", context, "u", 2, c1, c2)).digest()
    uniform = derived(128, "proof challenges", seed)
    u1, u2 = scalar(uniform[:64]), scalar(uniform[64:])
    n, yu1, yu2 = minus(y), minus(product(y, u1)), minus(product(y, u2))
    t = [
        combined((s1, BASE), (n, c1), (n, c2), (y, h1), (y, h2)),
        combined((s2, BASE), (n, ch2), (product(y, u1, u2), h)),
        combined((s3, BASE), (sp1, h1), (sp2, h2), (yu1, c1), (yu2, c2)),
        combined((sp1, e_[1]), (sp2, e_[3]), (minus(s4), X), (yu1, e[1]), (yu2, e[3])),
        combined((sp1, e_[0]), (sp2, e_[2]), (minus(s4), BASE), (yu1, e[0]), (yu2, e[2])),
        combined((sh1, BASE), (sp1, h), (n, ch1)),
        combined((sh2, BASE), (sp2, ch1), (n, ch2)),
    ]
    assert scalar(derived(64, "proof challenge", context, "c", c1, c2, ch1, ch2, *t)) == y


def test_every_worked_example_is_present():
    assert {name for _, name, _, _ in FOUND} == set(docs.EXAMPLES)
    assert WHOLE.count("```example ") == len(FOUND)


def test_changed_worked_example_is_noticed():
    """A changed example makes the check of examples fail."""
    text = '```example digest\nlabel = "deal"\nfields = 0x0102 "Ann" 7\n->\ndigest = 0x00\n```'
    ((name, inputs, outputs),) = docs.examples(text)
    assert inputs == {"label": ["deal"], "fields": [b"\1\2", "Ann", 7]}
    assert outputs != docs.outputs_of(name, inputs)


def test_protocol_lists_all_codes():
    text = TEXTS[docs.CODES.name]
    for code in codes.Code:
        assert f"| `{code}` | {english_text(codes.code_phrase(code))} |" in text, RENEW
    assert text == docs.codes_chapter(), RENEW


def test_codes_refer_to_existing_sections():
    parts = re.split(r"^## (11\.\d+) ", TEXTS[docs.CODES.name], flags=re.MULTILINE)
    found = {
        code: number
        for number, part in zip(parts[1::2], parts[2::2], strict=True)
        for code in rows_of(part)
    }
    assert found == {code.value: codes.spec_section(code) for code in codes.Code}


def rows_of(part):
    """Return the first cells of the table rows of a section."""
    return re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)


def test_protocol_lists_all_limits():
    text = TEXTS[docs.LIMITS.name]
    names = [name for name in vars(limits) if name.isupper()]
    assert names
    for name in names:
        assert f"| `{name}` | {docs._number(getattr(limits, name))} | " in text, RENEW
    assert text.count("| `") == len(names)
    assert text == docs.limits_chapter(), RENEW


def rows(text, heading):
    """Return the first and the second cells of the table rows under a heading."""
    section = text.split(heading, 1)[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section, re.MULTILINE))


@pytest.mark.parametrize(("heading", "sender"), [("## 4.3", "player"), ("## 4.4", "table")])
def test_protocol_lists_messages_and_their_phases(heading, sender):
    described = rows(TEXTS["04-messages.md"], heading)
    assert set(described) == docs.messages_by_sender()[sender]
    groups = {
        "any": frozenset(messages.ConnectionPhase),
        "greeted": messages.AFTER_GREETING,
        "in match": messages.IN_MATCH,
    }
    for name, phases in described.items():
        parts = [
            groups.get(part) or {messages.ConnectionPhase(part)} for part in phases.split(", ")
        ]
        assert frozenset().union(*parts) == messages.MESSAGES[name].phases, name


def test_protocol_lists_kinds_of_entries():
    assert set(rows(TEXTS["06-match.md"], "## 6.6")) == set(MATCH_ENTRY_SHAPES)
    for name, dealing in DEALINGS.items():
        described = set(
            re.findall(
                r"`([a-z_]+)`", next(text for text in TEXTS.values() if f"\nName: `{name}`" in text)
            )
        )
        assert set(dealing.entry_shapes) <= described


def test_protocol_lists_match_stages():
    section = TEXTS["06-match.md"].split("## 6.5")[1].split("## 6.6")[0]
    assert set(re.findall(r"^\| (\w+) \|", section, re.MULTILINE)) - {"stage"} == {
        str(stage) for stage in MatchStage
    }
    section = TEXTS["08-layered.md"].split("## 8.2")[1].split("## 8.3")[0]
    described = re.findall(r"^\| ([a-z ]+) \| [^|]* \| ([^|]*) \|", section, re.MULTILINE)
    stages = {
        stage: set(re.findall(r"`(\w+)`", kinds)) for stage, kinds in described if stage != "stage"
    }
    assert {stage: kinds for stage, kinds in stages.items() if kinds} == {
        str(stage): set(STAGES[stage].kinds) for stage in DealStage if STAGES[stage].kinds
    }


def test_protocol_lists_stages_of_verified_dealing():
    section = TEXTS["13-verified.md"].split("## 13.6")[1].split("## 13.7")[0]
    described = dict(re.findall(r"^\| ([a-z ]+) \|[^|]*\|([^|]*)\|", section, re.MULTILINE))
    kinds = {stage: kind.strip(" `") for stage, kind in described.items() if stage != "stage"}
    assert kinds == {str(stage): "".join(row.kinds) for stage, row in verified.STAGES.items()}


def deck_phases(mode: Mode, owned: bool) -> list[DeckPhase]:
    """Return the phases of the decks of a match that is played to its end."""
    terms = DeckTerms(mode, lambda faces: True, None if owned else ())
    binding = MatchBinding(b"match", (b"0" * 32, b"1" * 32))
    phases = [DeckPhase.BRING]
    while phases[-1] is not DeckPhase.PLAY:
        phases.append(match_decks._next_phase(phases[-1], terms))
    played = replace(new_decks(binding), phase=DeckPhase.PLAY, commitments=((b"x" * 32,),) * 2)
    phases.append(match_decks.close(played, terms).phase)
    while phases[-1] is not DeckPhase.DONE:
        phases.append(match_decks._next_phase(phases[-1], terms))
    return phases


def test_protocol_lists_phases_of_decks_in_each_mode():
    text = TEXTS["34-private-decks.md"]
    (head,) = re.findall(r"^   \| \| `(\w+)` \| `(\w+)` \| `(\w+)` \|$", text, re.MULTILINE)
    found = re.findall(r"^   \| `(proxies|owned)` \| (.*) \| (.*) \| (.*) \|$", text, re.MULTILINE)
    assert [name for name, *_ in found] == ["proxies", "owned"]
    for name, *cells in found:
        for mode, cell in zip(head, cells, strict=True):
            assert cell.split(", ") == list(deck_phases(Mode(mode), name == "owned")), (name, mode)


def test_protocol_lists_stages_of_seeded_dealing():
    section = TEXTS["35-seeded.md"].split("## 35.3")[1].split("## 35.4")[0]
    described = dict(re.findall(r"^\| ([a-z]+) \|[^|]*\|([^|]*)\|", section, re.MULTILINE))
    kinds = {stage: kind.strip(" `") for stage, kind in described.items() if stage != "stage"}
    assert kinds == {str(stage): "".join(row.kinds) for stage, row in seeded.STAGES.items()}


def test_protocol_lists_engine_effects_of_script_games():
    section = TEXTS["33-script-games.md"].split("4. Effects of the engine itself")[1]
    described = re.findall(r"^   \| ([a-z]+)(?:\([^)]*\))? \|", section, re.MULTILINE)
    assert {f".{name}" for name in described} - {".effect"} == set(ENGINE_EFFECTS)


def test_protocol_lists_effects_of_script_games():
    section = TEXTS["33-script-games.md"].split("## 33.3")[1].split("## 33.4")[0]
    first_cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    described = re.findall(r"`(\w+)\(", " ".join(first_cells))
    assert set(described) == set(EFFECTS)


def test_protocol_lists_games_dealings_and_options():
    listed = [
        option for some in (*BUILT_IN.specs.values(), *DEALINGS.values()) for option in some.options
    ]
    options = {option.name for option in listed} | {
        choice for option in listed for choice in option.choices
    }
    for name in (*BUILT_IN.specs, *DEALINGS, *(text for text in options if isinstance(text, str))):
        assert f"`{name}`" in WHOLE, name


def test_protocol_lists_options_of_poker():
    described = dict(rows_of_options(TEXTS["18-poker.md"]))
    holdem, draw, omaha = (
        {option.name: option.default for option in BUILT_IN.specs[name].options}
        for name in (poker.HOLDEM, poker.DRAW, poker.OMAHA)
    )
    assert holdem.keys() == omaha.keys()
    assert draw.keys() <= holdem.keys()
    for name, usual in holdem.items():
        others = {"draw": draw.get(name, usual), "omaha": omaha[name]}
        unlike = [f"; at {game} {value}" for game, value in others.items() if value != usual]
        assert described[name] == "".join([str(usual), *unlike])
    actions = set(re.findall(r'`\["(\w+)"', TEXTS["18-poker.md"].split("## 18.5")[1]))
    assert actions == set(poker.ACTIONS)


def test_protocol_lists_options_of_open_games():
    options, actions = TEXTS["21-open-games.md"].split("## 21.2")
    described = re.findall(r"^\| `(\w+)` \| (.*?) \| .*? \| (.*?) \|$", options, re.MULTILINE)
    usual = {
        (game, option): text.strip("`")
        for option, games, text in described
        for game in re.findall("`(.*?)`", games)
    }
    rows = [
        row
        for row in BUILT_IN.specs.values()
        if row.information is Information.PERFECT and row.default_seats == 2
    ]
    for row in rows:
        for option in row.options:
            assert usual.pop((row.name, option.name)).startswith(
                str(option.default_value(2, {"width": 7}))
            )
    assert not usual and set(re.findall(r'`\["(\w+)"', actions)) == {"take", "move", "drop", "pop"}


def test_protocol_lists_versions_of_rules():
    text = TEXTS["06-match.md"].split("The versions here: ")[1].split("\n")[0].split(". ")[0]
    listed = {}
    for part in re.split(r"(?<= \d)\b", text):
        names, version = re.findall(r"`([\w-]+)`", part), re.search(r" (\d+)$", part)
        if version:
            listed |= dict.fromkeys(names or ["by rule files"], version[1])
    scripted = {row.version for row in BUILT_IN.specs.values() if row.name not in listed}
    assert scripted == {listed.pop("by rule files")}
    assert {name: BUILT_IN.specs[name].version for name in listed} == listed


def rows_of_options(text):
    """Return name and default from a table of options."""
    return re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|$", text, re.MULTILINE)


def test_protocol_lists_defaults_of_layered_dealing():
    for option in OPTIONS:
        assert (
            f"`{option.name}` {option.least} to {option.most}, default {option.default}"
            in TEXTS["08-layered.md"]
        )


def test_protocol_lists_kinds_that_end_a_round_trip():
    found = re.findall(r"or only for seat (\d) `(\w+)`", TEXTS["08-layered.md"])
    assert {kind: int(seat) for seat, kind in found} == ROUTE_ENDS


def test_codes_named_in_chapters_exist():
    known = {str(code) for code in codes.Code}
    found = set(re.findall(r"`((?:bad|not|took|false|wrong|table)_[a-z_]+)`", WHOLE))
    assert found
    assert found <= known


def test_limits_named_in_chapters_exist():
    found = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", WHOLE))
    assert found <= set(vars(limits))


CITED = re.compile(
    r"(?<![\d./–=^])\b([1-9]|[12]\d|3[0-6])\.(\d{1,2})(\.\d{1,2})?\b(?! ?%|\.\d| (?:k?B|MB|m?s)\b)"
)
RFC = re.compile(r"RFC \d+(?:, (?:section )?[\d.]+\d(?:(?:\s+and\s+|, )[\d.]+\d)*)?")


def cited_paragraphs(text):
    """Return the sections and paragraphs that a chapter cites."""
    prose = RFC.sub("", re.sub(r"^#[^\n]*$|```.*?```", "", text, flags=re.MULTILINE | re.DOTALL))
    return {".".join(filter(None, one)).replace("..", ".") for one in CITED.findall(prose)}


@pytest.mark.parametrize("chapter", TEXTS)
def test_cited_paragraphs_exist(chapter):
    if chapter != docs.LIMITS.name:  # it has decimal numbers
        assert cited_paragraphs(TEXTS[chapter]) - sections() == set()


def test_missing_paragraph_is_noticed():
    text = "# 24.3.77 A heading\n\nBy 24.3.10 and 24.3.99, as RFC 9162, 2.1.3 and 2.1.4 has it, in 40.5 seconds."
    assert cited_paragraphs(text) == {"24.3.10", "24.3.99"}
    assert cited_paragraphs(text) - sections() == {"24.3.99"}


@pytest.mark.slow
def test_chapters_cited_in_code_exist():
    chapters = {int(name[:2]) for name in TEXTS if name[:2].isdigit()}
    cited = []
    for folder in ("protocol", "table", "player", "scripts"):
        for path in (docs.ROOT / folder).rglob("*.py"):
            cited += re.findall(r"docs/protocol,? (?:chapter |section )?(\d+)", path.read_text())
    assert cited
    assert {int(number) for number in cited} <= chapters


def test_links_between_chapters_resolve():
    for text in TEXTS.values():
        for target in re.findall(r"\]\(([^)#]+\.md)\)", text):
            assert (docs.CHAPTERS / target).is_file(), target


def test_decisions_are_numbered_without_gaps():
    numbers = sorted(
        int(path.name[:4]) for path in (docs.ROOT / "docs" / "decisions").glob("[0-9]*.md")
    )
    assert numbers == list(range(1, len(numbers) + 1))
