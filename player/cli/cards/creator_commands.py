"""Commands of `fairdeal creator`."""

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from player.cards.creator.element_set.cards import CARDS, EDITION
from player.cards.creator.mint import Mint, TypeDraft, Values
from player.cards.creator.run_store import (
    DiskSaleStore,
    StoredRun,
    lock_runs,
    store_run,
    stored_runs,
)
from player.cli import arguments
from player.cli.cards.card_program import CLEAN, FAILED, USAGE, Program, open_program
from player.cli.cards.creator_arguments import PACK_SIZE
from player.cli.cards.run_check import check
from player.cli.cards.shop import Shop
from player.storage.files import write_whole
from player.ui.terminal.cards import card_text
from player.ui.web.image_types import kind_of
from protocol.errors import LocalError, RemoteError
from protocol.i18n.language_choice import own_language
from protocol.identity.keys import KEY_SIZE
from protocol.ledger.bundle import SUFFIX, write_bundle
from protocol.ledger.runs.run_opening import write_opening
from protocol.ledger.runs.seller import unsold_packs
from protocol.limits import MAX_CARD_IMAGE, MAX_FACE_POINTS, MAX_TRANSFERS, MAX_WITNESSES
from protocol.view.phrase import phrase
from protocol.view.text import Say, phrase_renderer, translate_phrase

RUN_SUFFIX = ".run"
USUAL_COPIES = 4  # copies of each type, in a run of a creator's own cards


class _Questions:
    """Questions to a person at a terminal; Enter gives the usual answer.

    Without a terminal the usual answer is taken without a question. `say` translates a phrase.
    """

    def __init__(self, say: Say) -> None:
        self._say = say
        self._asks = sys.stdin.isatty() and sys.stdout.isatty()

    def text(self, given: str | None, key: str, usual: str) -> str:
        """Return `given` from the command line, or the answer to the question `key`."""
        if given is not None:
            return given
        return self._answer(key, usual) or usual

    def number(self, given: int | None, key: str, usual: int) -> int:
        """Return `given`, or the answer as a number from 0. Raises: LocalError."""
        if given is not None:
            return given
        answer = self._answer(key, str(usual)) or str(usual)
        if not answer.isdecimal():
            raise LocalError("wrong.creator.number", text=answer)
        return int(answer)

    def _answer(self, key: str, usual: str) -> str:
        if not self._asks:
            return ""
        return input(self._say(phrase(key, usual=usual)) + " ").strip()


def new(program: Program) -> int:
    """Write the creator's record; with --set also the types of a set."""
    args = program.args
    asking = _Questions(program.say)
    maker = Mint(program.collection, program.identity)
    own = maker.own()
    name = asking.text(
        args.name,
        "creator.ask.name",
        own.name
        if own
        else arguments.name_of(
            argparse.Namespace(name=None, bot=None, data=args.data), program.rng
        ),
    )
    link = asking.text(args.link, "creator.ask.link", own.link if own else "")
    if link and not link.startswith("https://"):
        raise LocalError("wrong.creator.link")
    if args.witness is None:
        if own:
            witnesses = own.witnesses
        else:
            witnesses = ()
    else:
        witnesses = tuple(map(_key, args.witness))
    if len(set(witnesses)) != len(witnesses) or len(witnesses) > MAX_WITNESSES:
        raise LocalError("wrong.creator.witnesses", most=MAX_WITNESSES)
    if own and args.witness is None:
        usual = own.quorum
    else:
        usual = len(witnesses) - (len(witnesses) - 1) // 3
    if witnesses:
        if args.quorum is None:
            quorum = usual
        else:
            quorum = args.quorum
    else:
        quorum = 0
    if witnesses and not 1 <= quorum <= len(witnesses):
        raise LocalError("wrong.creator.quorum", most=len(witnesses))
    if own is None or (own.name, own.link, own.witnesses, own.quorum) != (
        name,
        link,
        tuple(sorted(witnesses)),
        quorum,
    ):
        maker.introduce(name, link, witnesses, quorum)
    if args.set is not None:
        program.tell(phrase("creator.set", count=maker.make_elements()))
    program.tell(*card_text.creator_lines(program.showing().creator(maker.me), program.say))
    return CLEAN


def make_type(program: Program) -> int:
    """Create a card type."""
    args = program.args
    asking = _Questions(program.say)
    maker = Mint(program.collection, program.identity)
    _check_introduced(maker)
    editions = [kind.edition for kind in maker.types().values()]
    name = asking.text(args.name, "creator.ask.type", "")
    if not name:
        raise LocalError("wrong.creator.nameless")
    edition = asking.text(
        args.edition, "creator.ask.edition", editions[-1] if editions else "First"
    )
    text = asking.text(args.text, "creator.ask.text", "")
    drawn = TypeDraft(
        name, edition, _values(args.value or []), text, args.frozen, _image(args.image)
    )
    record = maker.make_type(drawn)
    program.tell(phrase("creator.type", name=name, edition=edition, short=record.id.hex()[:8]))
    return CLEAN


def revise(program: Program) -> int:
    """Revise a card type."""
    args = program.args
    maker = Mint(program.collection, program.identity)
    type_id = _type(maker, args.type)
    changed: dict[str, object] = {}
    for field, given in (("name", args.name), ("text", args.text)):
        if given is not None:
            changed[field] = given
    if args.value is not None:
        changed["values"] = _values(args.value)
    if not changed and args.image is None:
        raise LocalError("wrong.creator.unchanged")
    maker.revise(type_id, changed, _image(args.image))
    kind = maker.types()[type_id]
    program.tell(phrase("creator.revised", name=kind.name, number=kind.revision))
    return CLEAN


def run(program: Program) -> int:
    """Print a run: sign it, and store the contents of its packs."""
    args = program.args
    asking = _Questions(program.say)
    maker = Mint(program.collection, program.identity)
    _check_introduced(maker)
    editions = sorted({kind.edition for kind in maker.types().values()})
    if not editions:
        raise LocalError("wrong.creator.no_types")
    edition = asking.text(
        args.edition, "creator.ask.edition", EDITION if EDITION in editions else editions[0]
    )
    types = maker.types(edition)
    if not types:
        raise LocalError("wrong.creator.edition", edition=edition, editions=", ".join(editions))
    copies = _copies(maker, args.copies, edition)
    size = asking.number(args.pack_size, "creator.ask.pack", PACK_SIZE)
    if not 1 <= size <= MAX_TRANSFERS:
        raise LocalError("wrong.creator.pack", most=MAX_TRANSFERS)
    sealed = maker.make_run(edition, copies, size, program.rng)
    # stored before anybody can learn of the run: without its packs it is worthless
    store_run(arguments.data_of(args), sealed)
    program.collection.add([sealed.record])
    program.tell(
        phrase(
            "creator.run",
            edition=edition,
            number=sealed.run.number,
            count=len(sealed.cards),
            packs=len(sealed.packs),
            short=sealed.record.id.hex()[:8],
        )
    )
    return CLEAN


def sell(program: Program) -> int:
    """Sell packs, until Ctrl-C."""
    args = program.args
    data = arguments.data_of(program.args)
    with lock_runs(data):
        runs = [kept for kept in _runs(program, args.run) if not kept.opened]
        view = program.collection.view
        left = {kept.sealed.record.id: len(unsold_packs(kept.sealed, view)) for kept in runs}
        if not any(left.values()):
            raise LocalError("wrong.creator.sold_out")
        size = max(kept.sealed.run.pack_size for kept in runs)
        if not 0 <= args.price <= MAX_TRANSFERS - size:
            raise LocalError("wrong.creator.price", most=MAX_TRANSFERS - size)
        for kept in runs:
            own = kept.sealed.run
            program.tell(
                phrase(
                    "creator.stock",
                    edition=own.edition,
                    number=own.number,
                    count=left[kept.sealed.record.id],
                )
            )
        return asyncio.run(_serve(program, DiskSaleStore(runs, args.price, program.collection)))


async def _serve(program: Program, till: DiskSaleStore) -> int:
    return await Shop(program, till).serve(program.args.listen)


def open_run(program: Program) -> int:
    """Write the contents of all packs of a run to a file, for everybody to check."""
    args = program.args
    data = arguments.data_of(program.args)
    with lock_runs(data):
        found = _runs(program, args.run)
        if len(found) != 1:
            ids = ", ".join(
                f"{kept.sealed.record.id.hex()[:8]} ({kept.sealed.run.edition}"
                f" {kept.sealed.run.number})"
                for kept in found
            )
            raise LocalError("wrong.creator.which", count=len(found), ids=ids)
        (kept,) = found
        left = unsold_packs(kept.sealed, program.collection.view)
        if left and not args.unsold and not kept.opened:
            raise LocalError("wrong.creator.unsold", count=len(left))
        out: Path = (
            args.out or Path(f"{kept.sealed.run.edition}-{kept.sealed.run.number}")
        ).with_suffix(RUN_SUFFIX)
        kept.open()
        records = [
            *program.collection.records.closure([kept.sealed.record.id]),
            *kept.sealed.cards.values(),
        ]
        opening = write_opening(kept.sealed.record.id, kept.sealed.packs)
        for path, written in ((out, opening), (out.with_suffix(SUFFIX), write_bundle(records, []))):
            if not write_whole(path, written, replace=False) and path.read_bytes() != written:
                raise LocalError("wrong.cards.exists", path=str(path))
        program.tell(phrase("creator.opened", file=str(out), records=str(out.with_suffix(SUFFIX))))
    return CLEAN


# --- arguments ---


def _check_introduced(maker: Mint) -> None:
    """Check that the creator's record exists: without it buyers see no name. Raises: LocalError."""
    if maker.own() is None:
        raise LocalError("wrong.creator.nobody")


def _key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_SIZE:
        raise LocalError("wrong.creator.key")
    return key


def _type(maker: Mint, text: str) -> bytes:
    names = {type_id: kind.name for type_id, kind in maker.types().items()}
    wanted = text.strip().casefold()
    found = [one for one, name in names.items() if name.casefold() == wanted]
    found = found or [one for one in names if len(wanted) >= 4 and one.hex().startswith(wanted)]
    if len(found) != 1:
        raise LocalError("wrong.creator.type", text=text)
    return found[0]


def _values(given: Sequence[str]) -> Values:
    """Parse values of a card: `strength=7` is a number, `element=fire` a text. Raises:
    LocalError.
    """
    values: dict[str, int | str] = {}
    for one in given:
        key, sign, value = one.partition("=")
        if not (key and sign) or key in values:
            raise LocalError("wrong.creator.value", text=one)
        values[key] = int(value) if value.isdecimal() else value
    return tuple(sorted(values.items()))


def _image(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            data = file.read(MAX_CARD_IMAGE + 1)
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None
    # an empty or too large file has an error of its own
    if 0 < len(data) <= MAX_CARD_IMAGE and kind_of(data) is None:
        raise LocalError("wrong.cards.image.kind", path=str(path), points=MAX_FACE_POINTS)
    return data


def _copies(maker: Mint, given: Sequence[str] | None, edition: str) -> dict[bytes, int]:
    types = maker.types(edition)
    if given is None:
        if edition == EDITION:
            usual = {card.name: card.copies for card in CARDS}
        else:
            usual = {}
        return {type_id: usual.get(kind.name, USUAL_COPIES) for type_id, kind in types.items()}
    copies: dict[bytes, int] = {}
    for one in given:
        name, sign, number = one.rpartition("=")
        if not sign or not number.isdecimal():
            raise LocalError("wrong.creator.copies", text=one)
        copies[_type(maker, name)] = int(number)
    return copies


def _runs(program: Program, text: str | None) -> list[StoredRun]:
    found = list(stored_runs(arguments.data_of(program.args)))
    if not found:
        raise LocalError("wrong.creator.no_runs")
    if text is None:
        return found
    meant = [
        kept
        for kept in found
        if len(text) >= 4 and kept.sealed.record.id.hex().startswith(text.lower())
    ]
    if not meant:
        raise LocalError("wrong.creator.run", text=text)
    return meant


COMMANDS: dict[str, Callable[[Program], int]] = {
    "new": new,
    "type": make_type,
    "revise": revise,
    "run": run,
    "sell": sell,
    "open": open_run,
    "check": check,
}


def run_command(args: argparse.Namespace) -> int:
    """Run the command of a parsed command line, and return its exit code."""
    try:
        with open_program(args) as program:
            return COMMANDS[args.command](program)
    except (KeyboardInterrupt, EOFError):
        return FAILED
    except LocalError as error:
        print(f"fairdeal: {translate_phrase(error.phrase, own_language())}", file=sys.stderr)
    except RemoteError as error:
        print(f"fairdeal: {phrase_renderer(own_language(), ())(error.phrase)}", file=sys.stderr)
    return USAGE
