"""List of all functions that read foreign bytes; hypothesis and `scripts/fuzz` both work through
it.

A target takes bytes. It returns, or raises one of `errors`; any other exception is a finding.
`covers` names the public decoders behind it, without the prefix `protocol.`; a test finds decoders
without a target.
"""

from collections.abc import Callable
from typing import NamedTuple

from protocol.errors import LocalError, RemoteError
from protocol.match.log_file import TruncatedLog
from table.net.listeners.proxy_header import BadProxyHeader
from tests.properties.fuzz import (
    cards,
    decks,
    files,
    moments,
    places,
    proofs,
    residues,
    sales,
    signers,
    standbys,
    stores,
    texts,
    trades,
    wires,
)


class Target(NamedTuple):
    """One row of `TARGETS`."""

    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    covers: tuple[str, ...] = ()
    errors: tuple[type[Exception], ...] = (RemoteError,)
    # length of the bytes before an encoded list, which is damaged as a list; None: plain bytes
    prefix: int | None = None
    examples: int = 400  # inputs that the tests try, for each kind of damage


def _fixed(*seeds: bytes) -> Callable[[], list[bytes]]:
    return lambda: list(seeds)


GROUP = ("decode_point", "decode_scalar", "decode_points", "decode_scalars")

TARGETS: dict[str, Target] = {
    "value": Target(
        wires.value,
        wires.message_seeds,
        ("wire.decode", "wire.decode_strictly", "messages.fixed.FixedLayout.decode"),
        prefix=0,
    ),
    "frames": Target(
        wires.frames, _fixed(b"\0\0\0\1a\0\0\0\2bc", b"\0\0\4\0"), ("wire.FrameDecoder.feed",)
    ),
    "proxy_header": Target(wires.proxy_header, wires.proxy_header_seeds, errors=(BadProxyHeader,)),
    "forwarded": Target(
        wires.forwarded,
        _fixed(b"1.2.3.4, 10.0.0.1", b"[2001:db8::1]:80,::1", b"[], []:80"),
        errors=(),
    ),
    "message": Target(wires.message, wires.message_seeds, ("messages.table.decode",), prefix=0),
    "handshake": Target(
        wires.handshake,
        wires.handshake_seeds,
        (
            "session.session.Session.receive",
            "session.session.Session.receive_with_ticket",
            "session.ticket.read_payload",
            "session.noise.Handshake.read",
        ),
        examples=200,
    ),
    "credential": Target(wires.credential, wires.credential_seeds, prefix=0, examples=200),
    "record": Target(wires.record, _fixed(b"\0hello", b"\1", b"\1bad_record"), examples=200),
    "records": Target(wires.records, wires.records_seeds, examples=200),
    "entry": Target(files.entry, files.entry_seeds, ("match.log.decode_entry",), prefix=0),
    "tail": Target(
        files.tail,
        files.tail_seeds,
        ("messages.tail.parse_tail",),
        prefix=0,
        examples=100,
    ),
    "setup": Target(
        files.setup_body,
        files.setup_seeds,
        ("match.setup.parse_setup", "match.setup.read_setup", "match.terms.decode_terms"),
        prefix=0,
    ),
    "log_file": Target(
        files.log_file,
        files.log_seeds,
        ("match.log_reader.LogReader.feed", "audit.history.MatchHistory.read"),
        errors=(),
        examples=40,
    ),
    "file_records": Target(
        files.file_records,
        lambda: [moments.honest_file(0)],
        ("match.log_file.read_records",),
        (RemoteError, TruncatedLog),
    ),
    "packed_records": Target(
        files.packed_records,
        files.packed_seeds,
        ("match.packed_log.read_packed",),
        (RemoteError, TruncatedLog),
    ),
    "refusal": Target(
        files.refusal,
        files.refusal_seeds,
        ("match.refusal.decode_saved_refusal",),
        prefix=0,
        examples=100,
    ),
    "standby_transaction": Target(
        standbys.transaction, standbys.transaction_seeds, prefix=0, examples=100
    ),
    "standby_request": Target(standbys.request, standbys.request_seeds, prefix=0, examples=100),
    "standby_answer": Target(standbys.answer, standbys.answer_seeds, prefix=0, examples=50),
    "store_note": Target(stores.note, stores.note_seeds, prefix=0, examples=200),
    "store_item": Target(stores.item, stores.item_seeds, prefix=0, examples=100),
    "store_seed": Target(stores.seed, stores.seed_seeds, prefix=0, examples=50),
    "signer_asked": Target(signers.asked, signers.asked_seeds, prefix=0, examples=200),
    "signer_answered": Target(signers.answered, signers.answered_seeds, prefix=0, examples=100),
    "signer_hello": Target(signers.hello, signers.hello_seeds, prefix=0, examples=50),
    "parcel": Target(
        files.parcel,
        files.parcel_seeds,
        ("messages.parcel.decode_parcel", "messages.parcel.split_entries"),
        prefix=0,
    ),
    "key_file": Target(
        files.key_file,
        files.key_file_seeds,
        ("identity.keyfile.parse_keyfile", "identity.keyfile.open_keyfile"),
        (LocalError,),
    ),
    "relay_message": Target(
        places.relay_message, places.relay_seeds, ("messages.relay.decode",), prefix=0
    ),
    "backup": Target(places.backup, places.backup_seeds, (), (LocalError,), examples=60),
    "directory_message": Target(
        places.directory_message,
        places.directory_message_seeds,
        ("messages.directory.decode", "messages.named.NamedMessages.decode"),
        prefix=0,
    ),
    "key_history": Target(
        places.key_history,
        places.key_history_seeds,
        ("identity.key_history.decode_history",),
        prefix=0,
    ),
    "table_report": Target(
        places.table_report,
        places.table_report_seeds,
        ("directory.report.decode_report", "directory.report.read_report"),
        prefix=0,
    ),
    "table_list": Target(
        places.table_list,
        places.table_list_seeds,
        ("directory.table_list.decode_list",),
    ),
    "listed_rows": Target(
        places.listed_rows, places.listed_rows_seeds, ("wire.decode_sequence",), prefix=0
    ),
    "profile": Target(
        places.profile,
        places.profile_seeds,
        ("identity.profile_file.parse_profile",),
        (LocalError,),
    ),
    "card_record": Target(
        cards.record,
        cards.record_seeds,
        ("ledger.records.read_record", "ledger.record_codec.read_content"),
        prefix=0,
    ),
    "bundle": Target(
        cards.bundle, cards.bundle_seeds, ("ledger.bundle.read_bundle",), examples=200
    ),
    "trade_letter": Target(trades.letter, trades.letter_seeds, prefix=0, examples=200),
    "opening": Target(
        decks.opening,
        decks.opening_seeds,
        ("games.decks.slot_commitments.read_opening",),
        prefix=0,
        examples=200,
    ),
    "brings": Target(
        decks.kept,
        decks.kept_seeds,
        ("games.decks.deck_hand.read_loadout",),
        prefix=0,
        examples=100,
    ),
    "deck_step": Target(
        decks.deck_step,
        decks.deck_step_seeds,
        (
            "games.decks.match_decks.parse",
            "games.decks.evidence.read_evidence",
            "games.decks.owned_card.read_owned",
        ),
        prefix=1,
        examples=200,
    ),
    "images": Target(cards.images, cards.image_seeds, prefix=0, examples=100),
    "merge": Target(
        cards.merge,
        cards.merge_seeds,
        ("ledger.merge.messages.decode", "ledger.merge.messages.split_shorts"),
        prefix=0,
        examples=150,
    ),
    "run_opening": Target(
        sales.opening,
        sales.opening_seeds,
        ("ledger.runs.run_opening.read_opening",),
        prefix=0,
        examples=100,
    ),
    "receipt": Target(
        sales.receipt,
        sales.receipt_seeds,
        ("ledger.runs.sale_terms.read_receipt",),
        prefix=0,
        examples=100,
    ),
    "sale_message": Target(
        sales.message,
        sales.message_seeds,
        ("ledger.runs.messages.decode_message",),
        prefix=0,
        examples=100,
    ),
    "witness_head": Target(
        sales.head,
        sales.head_seeds,
        ("ledger.proofs.signed_heads.read_head",),
        prefix=0,
        examples=100,
    ),
    "map_proof": Target(
        sales.map_proof,
        sales.map_proof_seeds,
        ("ledger.witness.answer_checks.read_map_proof",),
        prefix=0,
        examples=100,
    ),
    "line_message": Target(
        sales.line, sales.line_seeds, ("messages.lines.decode_line",), prefix=0, examples=100
    ),
    "address": Target(
        files.address,
        _fixed(
            b"a.example.org:7500",
            b"[2001:db8::1]:80",
            b"192.0.2.1:1",
            b"wss://a.org/b/c",
            b"[::ffff:1.2.3.4]:7500",
        ),
        ("identity.address.parse_address_text",),
        errors=(),
        examples=200,
    ),
    "join_link": Target(
        files.join_link,
        _fixed(
            b"fairdeal://[::1]:7500/" + b"a" * 40,
            b"fairdeal://host:1",
            b"fairdeal+wss://host/a.b/" + b"a" * 40 + b"/" + b"b" * 32,
        ),
        ("identity.keys.JoinLink.parse",),
        (LocalError,),
    ),
    "name": Target(files.name, _fixed(b"Ann", "Zo\u00eb \u6f22\u5b57".encode())),
    "arrival_times": Target(
        files.arrival_times,
        _fixed(b"1 20\n2 40\n", b"3 99999"),
        ("audit.fairness.arrival_times.parse_times",),
        (LocalError,),
    ),
    "public_key": Target(files.public_key, _fixed(bytes(32), b"\1" + bytes(31), bytes(range(32)))),
    "options": Target(
        files.options,
        files.option_seeds,
        ("match.clock.parse_clock", "games.decks.accepted_lists.parse_limit"),
        prefix=0,
    ),
    "action": Target(files.action, files.action_seeds, ("games.Game.parse",), prefix=0),
    "envelope": Target(
        proofs.envelope,
        proofs.envelope_seeds,
        ("crypto.envelopes.open_from_slot", "crypto.envelopes.unseal"),
    ),
    "notation": Target(
        files.notation,
        files.notation_seeds,
        (
            "verification.notation.protocol_parser.decode_protocol",
            "verification.notation.protocol_parser.parse_protocol",
        ),
        (LocalError,),
        examples=200,
    ),
    "rules": Target(
        files.rules,
        files.rules_seeds,
        ("rules.parse", "rules.syntax.parser.parse_program"),
        (LocalError,),
        examples=200,
    ),
    "rule set": Target(
        texts.rule_set,
        texts.rule_set_seeds,
        ("games.scripted.rule_file.rule_set.read_rule_set",),
    ),
    "rule texts": Target(
        texts.rule_texts,
        texts.rule_texts_seeds,
        (
            "games.scripted.rule_file.sentences.read_sentences",
            "games.scripted.rule_file.help_text.read_help",
            *(
                "games.scripted.rule_file.template.parse_template",
                "games.scripted.rule_file.template.parse_forms",
                "games.scripted.rule_file.template.parse_telling",
            ),
        ),
        (LocalError,),
        examples=60,
    ),
    "intruder": Target(
        files.intruder,
        files.intruder_seeds,
        ("verification.game.messages.read_message",),
        examples=150,
    ),
    "padded": Target(proofs.padded, _fixed(b"\0\0\0\2ab" + bytes(30))),
    "slots": Target(
        proofs.slots,
        _fixed(b"\x1c" + b"\xff\xff\xff\x0f", b"\2" + bytes(64)),
        ("dealing.layered.blame.split_array", "dealing.layered.primitives.decode_piece"),
    ),
    "remark": Target(
        proofs.remark,
        _fixed(b"\x92\1\xa2hi"),
        ("messages.table_talk.TalkChannel.open_remark",),
        prefix=0,
    ),
    "elements": Target(
        proofs.elements,
        proofs.element_seeds,
        (*(f"crypto.group.{name}" for name in GROUP), "crypto.elgamal.decode_ciphertexts"),
    ),
    "residue_deck": Target(
        residues.deck, residues.deck_seeds, ("crypto.residue.cards.decode",), examples=100
    ),
    "residue_masking": Target(
        residues.opened_far,
        residues.opened_far_seeds,
        ("crypto.residue.masking.decode",),
        examples=100,
    ),
    "residue_shuffle": Target(
        residues.shuffle_proof,
        residues.shuffle_proof_seeds,
        ("crypto.residue.shuffle.ShuffleVerifier.feed",),
        examples=100,
    ),
    "residue_key": Target(residues.key_proof, residues.key_proof_seeds, examples=40),
    "residue_bits": Target(residues.bits, residues.bits_seeds, examples=100),
    "proof": Target(proofs.proof, proofs.proof_seeds, examples=400),
    "transferred": Target(
        proofs.transferred,
        proofs.transferred_seeds,
        ("crypto.oblivious_transfer.receive",),
        examples=200,
    ),
    "trade_payload": Target(
        trades.payload,
        trades.payload_seeds,
        ("ledger.trading.messages.decode", "ledger.trading.channel.OrderedChannel.read"),
        prefix=1,
        examples=60,
    ),
    "trade_content": Target(
        trades.content,
        trades.content_seeds,
        ("ledger.trading.trade_content.read_trade",),
        prefix=0,
        examples=200,
    ),
    "fold": Target(
        moments.fold,
        moments.seeds,
        (
            *(
                "dealing.layered.fold.apply_operation",
                "dealing.verified.fold.apply_operation",
                "dealing.verified.loose_cards.open_card",
            ),
            *(
                "dealing.commutative.fold.apply_operation",
                "dealing.seeded.fold.apply_operation",
                "dealing.residue.fold.apply_operation",
            ),
            *("dealing.Dealing.apply_operation", "dealing.Dealing.apply_operations"),
            *("dealing.layered.blame.read_hop", "dealing.verified.key_sharing.read_sharing"),
        ),
        prefix=moments.PREFIX,
        examples=4000,
    ),
}

# Functions with the name of a decoder that decode nothing foreign, with the reason.
NOT_DECODERS = {
    "codes.parse_code": "looks a text up in a table",
    "crypto.primitives.backend.PassphraseBackend.unseal": "the type of a backend",
    "crypto.primitives.browser.passphrase.unseal": "called by PassphraseBox.unseal",
    "crypto.primitives.native.passphrase.unseal": "called by PassphraseBox.unseal",
    "crypto.primitives.passphrase.PassphraseBox.unseal": "opens the seed in a key file, which is a target",
    "identity.profile_file.open_profile": "reads what only the passphrase can have sealed",
    "dealing.layered.seat_draws.read_drawn_piece": "reads the own draw, after the fold has checked it",
    "dealing.residue.chunks.split_shuffle": "cuts a shuffle of our own",
    "dealing.verified.loose_cards.LooseCardReader.read_cards": "reads own cards, after the fold has checked them",
    "dealing.verified.proven_shares.open_cards": "takes decoded points",
    "dealing.verified.proven_shares.split_shares": "takes decoded points",
    "i18n.help_parser.HelpParser.parse_known_args": "reads what the person here types",
    "i18n.program_output.open_closed_streams": "opens the standard streams of a program",
    "games.connect_four.text.parse_choice": "reads what the person here types",
    "games.dominoes.edition_2.scoring.open_end_sum": "a rule of the game",
    "games.dominoes.text.parse_choice": "reads what the person here types",
    "games.game_text.GameText.parse_choice": "reads what the person here types",
    "games.hexapawn.text.parse_choice": "reads what the person here types",
    "games.ligretto.text.parse_choice": "reads what the person here types",
    "games.matchsticks.text.parse_choice": "reads what the person here types",
    "games.nim.rows.parse_rows": "reads an option, whose text the terms have checked",
    "games.nim.text.parse_choice": "reads what the person here types",
    "games.numbered_choices.parse_choice": "reads what the person here types",
    "games.open_game.heaps.parse_take": "reads what the person here types",
    "games.open_game.text.parse_numbers": "reads what the person here types",
    "games.poker.text.parse_choice": "reads what the person here types",
    "games.scripted.engine.choice.open_shown_card": "takes a checked action",
    "games.scripted.engine.effects.parse_effects": "takes values of the rule language, which is a target",
    "games.scripted.rule_file.contract.parse_contract": "takes a rule file, which is a target",
    "i18n.language_choice.parse_accept_language": "takes a header that the page server has bounded",
    "ledger.trading.trade_content.split_by_direction": "takes decoded trades",
    "messages.lobby.decode_wants": "takes a number of a decoded message",
    "messages.tail.split_tail": "cuts a tail of our own",
    "options.parse_option": "reads the command line of the person here",
    "rules.command.decode_rule_file": "reads a file of the person here",
    "wire.split_frames": "cuts a message of our own",
    "crypto.residue.cards.read_piece": "takes bits that were checked",
    "dealing.layered.seat.open_all": "makes an entry of our own",
    "games.dominoes.edition_2.tiles.open_ends": "a rule of the game",
    "games.dominoes.layout.open_ends": "a rule of the game",
    "games.poker.pots.split_pot": "shares a pot",
    "games.poker.edition_1.engine.split_pots": "shares a pot",
    "games.poker.edition_1.state.PokerState.split": "shares the pots",
    "local_files.read_file": "returns the bytes of a file; the audit decodes them",
    "local_files.read_log": "returns the bytes of a file; the audit decodes them",
    "i18n.read_po": "reads the catalogue that comes with this distribution",
    "search.command.parse_solve_task": "reads the command line of the person here",
    "search.positions.parse_position": "reads the command line of the person here",
    "session.noise.Handshake.split": "makes ciphers",
    "session.noise.SymmetricState.split": "makes ciphers",
    "verification.strands.roles._RoleBuilder.receive": "takes the terms of a protocol, which is a target",
}
