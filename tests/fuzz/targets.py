"""Everything that reads what somebody else has made, as one list: hypothesis and `scripts/fuzz` both work through it.

A target takes bytes. It returns, or raises one of `errors`; anything else is a finding. `covers` names the public
decoders behind it, and a test notices one that nobody covers.
"""

from collections.abc import Callable
from typing import NamedTuple

from protocol.errors import LocalError, RemoteError
from protocol.match.logfile import CutShort
from tests.fuzz import files, moments, proofs, wires


class Target(NamedTuple):
    """One row of `TARGETS`."""

    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    covers: tuple[str, ...] = ()
    errors: tuple[type[Exception], ...] = (RemoteError,)
    prefix: int | None = None  # after so many bytes comes an encoded list, to be damaged as one; None: plain bytes
    examples: int = 400  # that hypothesis tries


def _fixed(*seeds: bytes) -> Callable[[], list[bytes]]:
    return lambda: list(seeds)


GROUP = ("decode_point", "decode_scalar", "decode_points", "decode_scalars")

TARGETS: dict[str, Target] = {
    "value": Target(
        wires.value,
        wires.message_seeds,
        ("wire.decode", "wire.decode_strictly", "messages.fixed.Layout.decode"),
        prefix=0,
    ),
    "frames": Target(wires.frames, _fixed(b"\0\0\0\1a\0\0\0\2bc", b"\0\0\4\0"), ("wire.Frames.feed",)),
    "message": Target(wires.message, wires.message_seeds, ("messages.table.decode",), prefix=0),
    "handshake": Target(
        wires.handshake,
        wires.handshake_seeds,
        ("session.session.Session.receive", "session.noise.Handshake.read"),
        examples=200,
    ),
    "credential": Target(wires.credential, wires.credential_seeds, prefix=0, examples=200),
    "record": Target(wires.record, _fixed(b"\0hello", b"\1", b"\1bad_record"), examples=200),
    "records": Target(wires.records, wires.records_seeds, examples=200),
    "entry": Target(files.entry, files.entry_seeds, ("match.log.decode_entry",), prefix=0),
    "setup": Target(
        files.setup_body, files.setup_seeds, ("match.setup.parse_setup", "match.terms.decode_terms"), prefix=0
    ),
    "log_file": Target(
        files.log_file,
        files.log_seeds,
        ("match.reader.Reader.feed", "audit.history.History.read"),
        errors=(),
        examples=40,
    ),
    "file_records": Target(
        files.file_records, lambda: [moments.honest_file(0)], ("match.logfile.read_records",), (RemoteError, CutShort)
    ),
    "refusal": Target(files.refusal, files.refusal_seeds, ("match.refusal.decode_kept",), prefix=0, examples=100),
    "parcel": Target(
        files.parcel, files.parcel_seeds, ("messages.parcel.decode_parcel", "messages.parcel.split"), prefix=0
    ),
    "key_file": Target(
        files.key_file,
        files.key_file_seeds,
        ("identity.keyfile.parse_keyfile", "identity.keyfile.open_keyfile"),
        (LocalError,),
    ),
    "join_link": Target(
        files.join_link,
        _fixed(b"fairdeal://[::1]:7500/" + b"a" * 40, b"fairdeal://host:1"),
        ("identity.keys.JoinLink.parse",),
        (LocalError,),
    ),
    "name": Target(files.name, _fixed(b"Ann", "Zo\u00eb \u6f22\u5b57".encode())),
    "arrival_times": Target(
        files.arrival_times, _fixed(b"1 20\n2 40\n", b"3 99999"), ("audit.claimed_waits.parse_times",), (LocalError,)
    ),
    "public_key": Target(files.public_key, _fixed(bytes(32), b"\1" + bytes(31), bytes(range(32)))),
    "options": Target(files.options, files.option_seeds, ("match.clock.parse_clock",), prefix=0),
    "action": Target(files.action, files.action_seeds, ("games.Game.parse",), prefix=0),
    "envelope": Target(proofs.envelope, proofs.envelope_seeds, ("crypto.sealed.open_from", "crypto.sealed.unseal")),
    "padded": Target(proofs.padded, _fixed(b"\0\0\0\2ab" + bytes(30))),
    "slots": Target(
        proofs.slots,
        _fixed(b"\x1c" + b"\xff\xff\xff\x0f", b"\2" + bytes(64)),
        ("dealing.layered.inquest.split_array", "dealing.layered.primitives.decode_piece"),
    ),
    "remark": Target(proofs.remark, _fixed(b"\x92\1\xa2hi"), ("messages.talk.Talk.hear",), prefix=0),
    "elements": Target(
        proofs.elements,
        proofs.element_seeds,
        (*(f"crypto.group.{name}" for name in GROUP), "crypto.elgamal.decode_ciphertexts"),
    ),
    "proof": Target(proofs.proof, proofs.proof_seeds, examples=400),
    "transferred": Target(proofs.transferred, proofs.transferred_seeds, ("crypto.oblivious.receive",), examples=200),
    "fold": Target(
        moments.fold,
        moments.seeds,
        (
            *("dealing.layered.fold.operate", "dealing.verified.fold.operate"),
            *("dealing.commutative.fold.operate", "dealing.operations.perform"),
            *("dealing.layered.inquest.read_hop", "dealing.verified.leavers.read_sharing"),
        ),
        prefix=moments.PREFIX,
        examples=4000,
    ),
}

# Named like decoders, and none: with the reason.
NOT_DECODERS = {
    "__main__.read_file": "reads a file as it is: what is in it goes to the audit",
    "crypto.elgamal.open_with": "takes decoded points",
    "dealing.layered.seat.open_all": "makes an entry of our own",
    "games.dominoes.tiles.open_ends": "a rule of the game",
    "games.poker.engine.split": "shares a pot",
    "games.poker.state.State.split": "shares the pots",
    "locale.read_po": "reads the catalogue that comes with this distribution",
    "session.noise.Handshake.split": "makes ciphers",
    "session.noise.SymmetricState.split": "makes ciphers",
}
