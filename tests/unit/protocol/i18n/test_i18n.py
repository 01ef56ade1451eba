"""The catalogue has every text: every key of the program has a text, and every text is used."""

import ast
import re
import string
from collections.abc import Iterable
from pathlib import Path

import pytest

from fairdeal.__main__ import main
from player.client.table_client import explain
from protocol.codes import Code
from protocol.dealing.registry import DEALINGS
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import BUILT_IN
from protocol.i18n import (
    FILE,
    PSEUDO,
    available_languages,
    best_language,
    english,
    labels,
    language_of,
    load_translator,
    read_po,
)
from protocol.i18n.language_choice import (
    environment_languages,
    page_languages,
    parse_accept_language,
    take_language_flag,
)
from protocol.i18n.pseudo_language import EXTRA_LENGTH, pseudo_localize
from protocol.identity.names import check_name
from protocol.options import BadOptions, DependentNumber
from protocol.view.phrase import Pieces, SeatRef, phrase
from protocol.view.text import OTHER, YOU, phrase_renderer, translate_phrase
from tests.support import architecture as rooms

ROOT = Path(__file__).parents[4]
WRITTEN = {
    path.parent.name: path.read_text() for path in (ROOT / "protocol/i18n").glob(f"*/{FILE}")
}
CATALOGUES = {
    lang: {key: texts for key, texts in read_po(po).items() if key} for lang, po in WRITTEN.items()
}
TEXTS = CATALOGUES["en"]
AREAS = {key.split(".")[0] for key in TEXTS}
KEY = re.compile(r"[a-z_]+(\.[a-z_]+)+")
LABEL = re.compile(r'"((?:(?:card)?page|tab)(?:\.[a-z_]+)+)"')  # labels in the modules of pages
SECOND = r"""
msgid ""
msgstr ""
"Language: xx\n"
"Plural-Forms: nplurals=3; plural=(n > 2 ? 2 : n == 2);\n"

msgid "match.turn"
msgstr "Dran ist "
"{who}."

msgid "poker.exchanged"
msgid_plural "poker.exchanged"
msgstr[0] "eine"
msgstr[1] "zwei"
msgstr[2] "{count} Karten"
"""


def modules_of_page() -> set[str]:
    """Return the names of modules and packages of `web`, which have the form of a key as well."""
    paths = [path.relative_to(ROOT) for path in (ROOT / "web").rglob("*.py")]
    return {".".join(one.parts) for path in paths for one in (path.with_suffix(""), path.parent)}


def used_keys() -> set[str]:
    """Return every constant of the product in the form of a catalogue key, and the page's
    labels.
    """
    folders = (ROOT / "player/ui/web/static", ROOT / "web/static")
    modules = [path for folder in folders for path in folder.rglob("*.js")]
    found = {key for path in modules for key in LABEL.findall(path.read_text())}
    for path in rooms.files():
        for node in rooms.nodes(path):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and KEY.fullmatch(node.value)
            ):
                found.add(node.value)
    found -= modules_of_page()
    return {key for key in found if key.split(".")[0] in AREAS} | {f"code.{code}" for code in Code}


@pytest.mark.slow
def test_every_key_has_text_and_every_text_is_used():
    used = used_keys()
    assert used - set(TEXTS) == set()
    forms = (YOU, OTHER, ".one")  # the last one is for a count of one on the page (words.js)
    plain = {
        key: next((key.removesuffix(form) for form in forms if key.endswith(form)), key)
        for key in TEXTS
    }
    assert {key for key in TEXTS if not {key, plain[key]} & used} == set()


PACKAGES = (
    "protocol",
    "bots",
    "net",
    "commandline",
    "table",
    "player",
    "fairdeal",
    "search",
    "simulation",
    "verification",
    "conformance",
    "relay",
    "directory",
    "web",
)
TOLD = (
    "LocalError",
    "WrongArgument",
    "ArgumentTypeError",
    "Unacceptable",
    "Stopped",
    "ChangedTable",
    "Unfit",
    "Notice",
    "give_up",
    "tell",
)


def files() -> list[Path]:
    """Return the files with texts for people, without the conformance kit."""
    return [path for path in rooms.files() if path.relative_to(ROOT).parts[0] in PACKAGES]


def told_outside(nodes: Iterable[ast.AST]) -> list[str]:
    """Return texts for people that no catalogue contains, composed or not."""
    calls = [node for node in nodes if isinstance(node, ast.Call) and node.args]
    named = [
        (getattr(call.func, "id", getattr(call.func, "attr", None)), call.args[0]) for call in calls
    ]
    said = [arg for name, arg in named if name in TOLD]
    own = [arg for arg in said if isinstance(arg, ast.JoinedStr | ast.BinOp)]
    own += [
        arg
        for arg in said
        if isinstance(arg, ast.Constant) and arg.value is not None and arg.value not in TEXTS
    ]
    return [ast.unparse(arg) for arg in own]


@pytest.mark.slow
def test_texts_for_people_are_in_the_catalogue():
    """The conformance kit is an exception: its readers build other implementations (decision
    0026).
    """
    found = {str(path.relative_to(ROOT)): told_outside(rooms.nodes(path)) for path in files()}
    assert {path: told for path, told in found.items() if told} == {}


def test_text_outside_the_catalogue_is_found():
    for wrong in (
        'raise LocalError("No.")',
        'raise LocalError(f"{path} is wrong.")',
        'self.give_up("So." + why)',
    ):
        assert told_outside(ast.walk(ast.parse(wrong)))
    for right in (
        'raise LocalError("wrong.no_link")',
        "raise LocalError(not_here(unknown))",
        "self.give_up(None)",
    ):
        assert not told_outside(ast.walk(ast.parse(right)))


@pytest.mark.slow
def test_text_placeholders_are_filled_at_every_use():
    """Most errors never occur in a test; a missing value in their text would raise another one."""
    calls = [node for path in files() for node in rooms.nodes(path) if isinstance(node, ast.Call)]
    wrong = [ast.unparse(call) for call in calls for key in keys_of(call) if not fills(call, key)]
    assert wrong == []


def test_text_with_missing_value_is_found():
    (call,) = (
        node
        for node in ast.walk(ast.parse('LocalError("wrong.read", path="here")'))
        if isinstance(node, ast.Call)
    )
    assert keys_of(call) == {"wrong.read"} and not fills(call, "wrong.read")


def keys_of(call: ast.Call) -> set[str]:
    """Return the possible catalogue keys of a call: its first argument, or either of two."""
    if getattr(call.func, "id", None) not in (*TOLD, "phrase") or not call.args:
        return set()
    first = call.args[0]
    either = (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,)
    return {one.value for one in either if isinstance(one, ast.Constant) and one.value in TEXTS}


def fills(call: ast.Call, key: str) -> bool:
    """Return whether a call gives every value that the texts of a key need, or unpacks a
    mapping.
    """
    given = {keyword.arg for keyword in call.keywords}
    needed = {name[0].lower() + name[1:] for text in TEXTS[key] for name in placeholders(text)}
    return None in given or needed <= given


@pytest.mark.parametrize("language", CATALOGUES)
def test_keys_are_unique_and_texts_can_be_filled(language):
    texts = CATALOGUES[language]
    assert len(re.findall(r'^msgid "', WRITTEN[language], re.M)) == len(texts) + 1
    for key, forms in texts.items():
        assert all(forms), key
        assert all(name.isidentifier() for text in forms for name in placeholders(text)), key
        if key.endswith((YOU, OTHER)):
            assert key.removesuffix(YOU).removesuffix(OTHER) in texts


def placeholders(text: str) -> set[str]:
    """Return the names of the placeholders."""
    return {name for _, name, *_ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", sorted(set(CATALOGUES) - {"en"}))
def test_languages_cover_the_same_keys_as_english(language):
    """Both languages have every key, including `.you` and `.other`, with the same placeholders and
    the plural forms of the language.
    """
    texts = CATALOGUES[language]
    assert set(texts) == set(TEXTS)
    forms = int(re.search(r"nplurals=(\d+)", WRITTEN[language])[1])
    for key, english_forms in TEXTS.items():
        assert len(texts[key]) == (forms if len(english_forms) > 1 else 1), key
        for text in texts[key]:
            assert placeholders(text) in map(placeholders, english_forms), key
            assert text.startswith(" ") == english_forms[-1].startswith(" "), key
            assert text.endswith(" ") == english_forms[-1].endswith(" "), key


def test_languages_are_not_copies_of_each_other():
    same = [
        key
        for key, forms in TEXTS.items()
        if CATALOGUES["de"][key] == forms and re.search("[a-z]{4}", forms[0])
    ]
    assert len(same) < len(TEXTS) / 20, same


def test_german_plural_forms_are_right():
    say = phrase_renderer(load_translator("de"), ["Ann", "Bob"], own=1)
    assert say(phrase("poker.exchanged", who=SeatRef(0), count=1)) == "Ann tauscht 1 Karte."
    assert say(phrase("poker.exchanged", who=SeatRef(1), count=0)) == "Du tauschst 0 Karten."
    assert (
        say(phrase("match.won", who=SeatRef(0))) == "Du hast die Partie verloren: Ann hat gewonnen."
    )


def test_texts_distinguish_singular_plural_and_reader():
    say = phrase_renderer(english, ["Ann", "Bob"], own=1)
    assert say(phrase("poker.exchanged", who=SeatRef(0), count=1)) == "Ann exchanges 1 card."
    assert say(phrase("poker.exchanged", who=SeatRef(1), count=2)) == "You exchange 2 cards."
    assert say(phrase("clock.warned", who=SeatRef(0), seconds=9)) == "Ann has 9 s left."
    assert say(phrase("clock.warned", who=SeatRef(1), seconds=9)) == "You have 9 s left."
    assert (
        say(phrase("entry.warning", about=SeatRef(255), seconds="9.0"))
        == "warns the table, after 9.0 s"
    )
    pieces = Pieces(((6, 4), ("T", "d"), ("Old Maid",)))
    assert (
        say(phrase("poker.showed", who=SeatRef(0), cards=pieces)) == "Ann shows 6-4 10♦ Old Maid."
    )


def test_winner_message_addresses_winner_others_and_spectators():
    won = phrase("match.won", who=SeatRef(1))
    said = [phrase_renderer(english, ["Ann", "Bob"], own)(won) for own in (1, 0, None)]
    assert said == ["You won the match.", "You lost the match: Bob won it.", "Bob won the match."]


def test_names_are_never_interpreted_as_placeholders():
    say = phrase_renderer(english, ["{who}", "Bob"])
    assert say(phrase("match.turn", who=SeatRef(0))) == "It is {who}'s turn."
    assert say(phrase("generic.offer", action="a\x1b[2J{x}")) == "a\ufffd[2J{x}"


@pytest.mark.parametrize(("wanted", "language"), [("de", "de"), ("en", "en"), ("qps", "en")])
def test_translator_says_which_language_it_speaks(wanted, language):
    assert language_of(load_translator(wanted)) == language
    assert language_of(lambda key, count: key) == "en"


def test_language_is_added_by_adding_a_file(tmp_path):
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / FILE).write_text(SECOND)
    translate = load_translator("yy", "xx", folder=tmp_path)
    say = phrase_renderer(translate, ["Ann"])
    assert say(phrase("match.turn", who=SeatRef(0))) == "Dran ist Ann."
    counted = [say(phrase("poker.exchanged", who=SeatRef(0), count=count)) for count in (1, 2, 5)]
    assert counted == ["eine", "zwei", "5 Karten"]
    # English is used for a missing text
    assert say(phrase("poker.folded", who=SeatRef(0))) == "Ann folds."
    assert load_translator("nonsense")("match.table", None) == "the table"


@pytest.mark.parametrize(
    ("environ", "languages"),
    [
        ({}, []),
        ({"LANG": "C"}, ["C", "C"]),
        ({"LANG": "de_AT.UTF-8"}, ["de_AT", "de"]),
        ({"LANG": "de_DE", "LC_ALL": "", "LANGUAGE": "fr:de"}, ["fr", "fr", "de", "de"]),
        ({"LANG": "../../etc"}, []),
    ],
)
def test_language_is_chosen_from_flag_and_environment(environ, languages):
    assert environment_languages(environ) == languages


def test_language_flag_precedes_environment_and_reaches_child_programs():
    environ = {"LANG": "en_GB.UTF-8"}
    assert take_language_flag(["show", "FILE", "--lang", "de", "--all"], environ) == [
        "show",
        "FILE",
        "--all",
    ]
    assert environment_languages(environ)[0] == "de"
    # the command itself refuses this
    for words in (["show"], ["show", "--lang", "klingon"], ["show", "--lang"]):
        assert take_language_flag(words, environ := {"LANG": "fr"}) == words
        assert environ == {"LANG": "fr"}


FIRST = {"mail": ("new", "status"), "cards": ("list", "alarms")}  # subcommands


@pytest.mark.parametrize(
    "command",
    [
        "audit",
        "show",
        "compare",
        "clock",
        "play",
        "host",
        "join",
        "mail",
        "contacts",
        "simulate",
        "cards",
    ],
)
def test_every_command_with_texts_accepts_language_flag(command, capsys):
    with pytest.raises(SystemExit):
        main([command, *FIRST.get(command, ())[:1], "--help"])
    assert "--lang {de,en}" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main([command, *FIRST.get(command, ())[-1:], "--lang", "klingon", "--bogus"])
    assert ended.value.code == 2 and "klingon" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("header", "languages"),
    [
        ("", []),
        ("de", ["de", "de"]),
        ("en-GB;q=0.5, de-AT", ["de_AT", "de", "en_GB", "en"]),
        ("fr;q=0, de;q=0.1, *", ["de", "de"]),
        ("../../etc, de;q=x, en;q=0.001", ["en", "en"]),
    ],
)
def test_language_is_chosen_from_browser_header(header, languages):
    assert parse_accept_language(header) == languages


def test_browser_language_is_used_without_other_setting():
    assert best_language(*page_languages({}, "de")) == "de"
    assert best_language(*page_languages({"LANG": "C.UTF-8"}, "de")) == "de"
    assert best_language(*page_languages({"LANG": "en_GB"}, "de")) == "en"
    assert best_language(*page_languages({"LANG": "fr_FR"}, "de, fr")) == "de"
    assert best_language(*page_languages({}, "")) == "en"


def test_page_gets_its_own_texts():
    assert labels("de", area="dominoes")["dominoes.offer.pass"] == "passen"
    assert labels("qq", area="dominoes").keys() == labels("en", area="dominoes").keys()
    assert all(key.startswith("dominoes.") for key in labels("de", area="dominoes"))


@pytest.mark.slow
def test_pseudo_language_is_longer_and_can_be_filled():
    assert available_languages() == ["de", "en"]
    say = phrase_renderer(load_translator(PSEUDO), ["Ann"])
    assert say(phrase("match.turn", who=SeatRef(0))) == "Iït iïs Ann's· tuüürn."
    for key, forms in TEXTS.items():
        for text in forms:
            longer = pseudo_localize(text)
            assert placeholders(longer) == placeholders(text), key
            words = re.sub(r"\{.*?\}", "", text)
            assert len(longer) - len(text) >= EXTRA_LENGTH * len(re.findall(r"[^\W\d_]", words)), (
                key
            )


def test_games_and_options_are_explained_in_every_language():
    rows = BUILT_IN.specs.values()
    options = [option for row in (*rows, *DEALINGS.values()) for option in row.options]
    numbers = [value for option in options for value in (option.default, option.least, option.most)]
    told = [row.about for row in rows] + [option.help_key for option in options]
    told += [number.description for number in numbers if isinstance(number, DependentNumber)]
    assert [key for key in told if key not in TEXTS] == []


def test_error_is_shown_in_the_language_of_its_reader():
    error = LocalError("wrong.link.port", most=9, help=phrase("listen.help"))
    assert translate_phrase(error.phrase, english).startswith(
        "The port in a link is 1 to 9. It looks like 127.0.0.1:7500"
    )
    assert translate_phrase(error.phrase, load_translator("de")).startswith(
        "Der Port in einem Link ist 1 bis 9. Sie sieht aus wie"
    )
    assert phrase_renderer(load_translator("de"), ())(explain(Code.TABLE_FULL)).startswith(
        "Alle Plätze an diesem Tisch sind besetzt. Sieh der Partie mit --spectate zu"
    )
    refusal = RemoteError(Code.TABLE_FULL)
    assert translate_phrase(refusal.phrase, english) == "all seats of this table are taken"
    with pytest.raises(BadOptions) as unfit:
        BUILT_IN.specs["draw-dominoes"].values(2, {"highest": 7})
    assert (
        phrase_renderer(load_translator("de"), ())(unfit.value.reason)
        == "`highest` muss 6 oder 9 sein, nicht 7"
    )


def test_unknown_texts_of_plugins_are_shown_unchanged():
    assert (
        phrase_renderer(load_translator("de"), ())(phrase("cards {of} a kind\x1b"))
        == "cards {of} a kind\ufffd"
    )


@pytest.mark.parametrize("language", CATALOGUES)
def test_names_reserved_by_the_program_are_refused(language):
    said = load_translator(language)
    for words in (
        said("match.table", None),
        said("match.nobody", None),
        *(said(key, None).split(":")[0] for key in HEADS),
    ):
        with pytest.raises(RemoteError):
            check_name(words)
    check_name(said("notice.own_table", None))


# lines of the program itself that begin with a word and a colon
HEADS = ("verdict.clean", "contact.warning")
