"""Parts of `fairdeal rules` about signed rule sets: sign, update, list, trust, distrust, save."""

import argparse
from collections.abc import Callable
from pathlib import Path
from secrets import SystemRandom

from commandline.rule_file import read_rule_text
from player.cards.rule_set_store import RuleSetStore, rule_set_name_problem
from player.cli import arguments
from player.client.rule_sets import OfferedRules, Standing
from player.storage.files import write_whole
from player.storage.identity_file import load_identity, read_keyfile
from protocol.errors import LocalError, RemoteError
from protocol.games.scripted.rule_file.built_in import SUFFIX
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.games.scripted.rule_file.rule_set import (
    RuleSet,
    read_rule_set,
    sign_rule_set,
    unsigned_text,
)
from protocol.i18n.language_choice import own_language
from protocol.identity.keys import fingerprint
from protocol.limits import MAX_RULE_FILE
from protocol.rules import RuleError
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import phrase_renderer

STANDINGS = {
    Standing.FIT: "rule_set.standing.fit",
    Standing.STRANGE: "rule_set.standing.strange",
    Standing.DISTRUSTED: "rule_set.standing.distrusted",
    Standing.OLDER: "rule_set.standing.older",
    Standing.DISPUTED: "rule_set.standing.disputed",
    Standing.NAMED: "rule_set.standing.named",
}
LEAST_LETTERS = 8  # of a fingerprint or a digest: forty bits, which nobody meets by chance


def run(args: argparse.Namespace) -> int:
    """Run a part, and return its exit code. Raises: LocalError."""
    say = phrase_renderer(own_language(), ())
    for line in PARTS[args.part](args):
        print(say(line), flush=True)
    return 0


def show(args: argparse.Namespace) -> list[Phrase] | None:
    """Describe the stored sets that `args.game` names; None if it names none. Raises: LocalError."""
    found = _named(_store(arguments.data_of(args)), args.game)
    return [
        line for one in found for line in (*one.lines(), *_lines(one)[1:], _standing(one))
    ] or None


def sign(args: argparse.Namespace) -> list[Phrase]:
    """Sign a rule file for the first time."""
    return _sign(args, update=False)


def update(args: argparse.Namespace) -> list[Phrase]:
    """Sign a changed rule file under the next number."""
    return _sign(args, update=True)


def _sign(args: argparse.Namespace, *, update: bool) -> list[Phrase]:
    path: Path = args.file
    body = unsigned_text(read_rule_text(path))
    try:
        name = parse_contract(body).name
    except RuleError as error:
        raise LocalError("wrong.rules.file", path=str(path), why=error.phrase) from None
    if (wrong := rule_set_name_problem(name)) is not None:
        raise LocalError("wrong.rules.name", name=name, why=wrong)
    data = arguments.data_of(args)
    identity = load_identity(data, arguments.passphrase_of(args), SystemRandom())
    store = RuleSetStore(data, identity.public)
    if update and args.after is not None:
        store.keep(_earlier(args.after, identity.public, name))
    before = store.own(name)
    if before is not None and unsigned_text(before.text) == body:
        signed = before
    elif before is not None and not update:
        raise LocalError("wrong.rules.signed", name=name, number=before.number, file=str(path))
    elif before is None and update:
        raise LocalError("wrong.rules.unsigned", name=name, file=str(path))
    else:
        try:
            signed = sign_rule_set(identity, name, body, before)
        except RemoteError:
            raise LocalError("rules.long", most=MAX_RULE_FILE) from None
        # stored first, so that no other text is ever signed under this number
        store.keep(signed)
    # a name may have characters that a file's name must not have
    stem = "".join(char if char.isalnum() else "-" for char in name)
    out: Path = args.out or path.with_name(f"{stem}-{signed.number}{SUFFIX}")
    _write(out, signed)
    return [
        phrase(
            "rule_set.signed",
            name=name,
            number=signed.number,
            author=fingerprint(identity.public),
            file=str(out),
        )
    ]


def _earlier(path: Path, me: bytes, name: str) -> RuleSet:
    try:
        found = read_rule_set(read_rule_text(path))
    except RemoteError:
        found = None
    if found is None or (found.author, found.name) != (me, name):
        raise LocalError("wrong.rules.after", path=str(path), name=name)
    return found


def _write(path: Path, rules: RuleSet) -> None:
    data = rules.text.encode()
    if not write_whole(path, data, replace=False) and path.read_bytes() != data:
        raise LocalError("wrong.cards.exists", path=str(path))


def list_sets(args: argparse.Namespace) -> list[Phrase]:
    """List the stored sets."""
    found = _store(arguments.data_of(args)).all()
    return [line for one in found for line in _lines(one)] or [phrase("rule_set.none")]


def trust(args: argparse.Namespace) -> list[Phrase]:
    """Trust an author, or choose one of two texts under one number."""
    store = _store(arguments.data_of(args))
    if (author := _author(store, args.who)) is not None:
        store.mark(author, None if args.forget else True)
        told = "rule_set.forgotten" if args.forget else "rule_set.trusted"
        return [phrase(told, author=fingerprint(author))]
    found = _named(store, args.who, names=False)
    if len(found) != 1 or args.forget:
        raise LocalError("wrong.rules.which", text=args.who)
    rules = found[0].rules
    store.choose(rules)
    return [
        phrase("rule_set.chosen", digest=rules.digest, name=rules.name, number=rules.number),
    ]


def distrust(args: argparse.Namespace) -> list[Phrase]:
    """Let nothing of an author run."""
    store = _store(arguments.data_of(args))
    author = _author(store, args.who)
    if author is None:
        raise LocalError("wrong.rules.which", text=args.who)
    store.mark(author, False)
    return [phrase("rule_set.distrusted", author=fingerprint(author))]


def save(args: argparse.Namespace) -> list[Phrase]:
    """Write a stored set to a file."""
    found = _named(_store(arguments.data_of(args)), args.set)
    if len(found) != 1:
        raise LocalError("wrong.rules.which", text=args.set)
    rules = found[0].rules
    _write(args.file, rules)
    return [
        phrase(
            "rule_set.saved",
            file=str(args.file),
            name=rules.name,
            number=rules.number,
            author=found[0].who,
        )
    ]


def _lines(offered: OfferedRules) -> list[Phrase]:
    """Describe a set in a line, and repeat the alarm about it, if there is one."""
    rules = offered.rules
    line = phrase(
        "rule_set.line",
        name=rules.name,
        number=rules.number,
        author=offered.who,
        called=phrase("rule_set.called", name=offered.author) if offered.author else "",
        digest=rules.digest,
        standing=_standing(offered),
    )
    problem = offered.problem()
    alarm = offered.standing is Standing.DISPUTED and problem is not None
    return [line, problem] if alarm and problem is not None else [line]


def _standing(offered: OfferedRules) -> Phrase:
    return phrase(STANDINGS[offered.standing], newest=offered.newest)


def _named(store: RuleSetStore, text: str, *, names: bool = True) -> list[OfferedRules]:
    """Return the sets that `text` names: by the letters of their text, or by name the newest."""
    letters = text.strip().lower()
    found = store.all()
    if len(letters) >= LEAST_LETTERS and (
        exact := [one for one in found if one.rules.digest.startswith(letters)]
    ):
        return exact
    named = [one for one in found if names and one.rules.name == text]
    return [one for one in named if one.rules.number == one.newest]


def _author(store: RuleSetStore, text: str) -> bytes | None:
    letters = text.strip().lower()
    authors = {one.rules.author for one in store.all()}
    found = [one for one in authors if fingerprint(one).startswith(letters)]
    return found[0] if len(found) == 1 and len(letters) >= LEAST_LETTERS else None


def _store(data: Path) -> RuleSetStore:
    """Open the store. The own sets are told by the fingerprint, which needs no passphrase."""
    file = read_keyfile(data)
    store = RuleSetStore(data)
    mine = (one.rules.author for one in store.all() if file and one.who == file.fingerprint)
    return RuleSetStore(data, next(mine, b""))


PARTS: dict[str, Callable[[argparse.Namespace], list[Phrase]]] = {
    "sign": sign,
    "update": update,
    "list": list_sets,
    "trust": trust,
    "distrust": distrust,
    "save": save,
}
