"""Codes of errors on the wire and in verdicts. The catalogue has a text for people under
`code.…`.
"""

from enum import StrEnum

from protocol.view.phrase import Phrase, phrase


class Code(StrEnum):
    """Codes on the wire and in verdicts. Their values never change."""

    # frames and encoding
    FRAME_SIZE = "frame_size"
    BAD_ENCODING = "bad_encoding"
    BAD_MESSAGE = "bad_message"
    LOG_SIZE = "log_size"
    # session
    BAD_HANDSHAKE = "bad_handshake"
    BAD_RECORD = "bad_record"
    BAD_IDENTITY = "bad_identity"
    BAD_SIGNATURE = "bad_signature"
    BAD_NAME = "bad_name"
    WRONG_TABLE_KEY = "wrong_table_key"
    WRONG_VERSION = "wrong_version"
    WRONG_RELAY = "wrong_relay"
    WRONG_ADDRESS = "wrong_address"
    OUTDATED = "outdated"
    TOO_SLOW = "too_slow"
    CUT_OFF = "cut_off"
    TAKEN_OVER = "taken_over"
    CLOSING = "closing"
    INTERNAL = "internal"
    CANNOT_WRITE = "cannot_write"
    MATCH_STOPPED = "match_stopped"
    # lobby
    NO_SUCH_TABLE = "no_such_table"
    TABLE_FULL = "table_full"
    ALREADY_SEATED = "already_seated"
    NAME_TAKEN = "name_taken"
    OTHER_TERMS = "other_terms"
    TOO_MANY = "too_many"
    TOO_MANY_HERE = "too_many_here"
    BY_INVITATION = "by_invitation"
    NOT_HERE = "not_here"
    MUTED = "muted"
    HOST_ONLY = "host_only"
    NOT_OFFERED = "not_offered"
    NO_SPECTATORS = "no_spectators"
    DRAINING = "draining"
    KICKED = "kicked"
    BANNED = "banned"
    # entries that are refused
    BAD_ENTRY = "bad_entry"
    BAD_ENTRY_SIGNATURE = "bad_entry_signature"
    WRONG_AUTHOR = "wrong_author"
    WRONG_SEQUENCE = "wrong_sequence"
    WRONG_HEAD = "wrong_head"
    STALE = "stale"
    NOT_NOW = "not_now"
    MATCH_OVER = "match_over"
    WRONG_MATCH = "wrong_match"
    BAD_OPTIONS = "bad_options"
    BAD_SETUP = "bad_setup"
    UNKNOWN_RULES = "unknown_rules"
    WRONG_SCORES = "wrong_scores"
    # the log: faults of the table
    TABLE_ACCEPTED = "table_accepted"
    TABLE_FORGED = "table_forged"
    TABLE_FORKED = "table_forked"
    TABLE_REFUSED = "table_refused"
    WRONG_SETUP = "wrong_setup"
    # two people without a table
    GAP = "gap"
    FORKED = "forked"
    NOT_INVITED = "not_invited"
    NO_PARCEL = "no_parcel"
    BAD_MAIL = "bad_mail"
    # outcomes
    LEFT = "left"
    LAPSED = "lapsed"
    TOO_EARLY = "too_early"
    FALSE_PROTEST = "false_protest"
    BAD_NONCE = "bad_nonce"
    BAD_KEY_SHARE = "bad_key_share"
    # layered dealing: proven lies
    BAD_LIST = "bad_list"
    BAD_STOCK = "bad_stock"
    BAD_LAYER_KEY = "bad_layer_key"
    COPIED_COMMITMENT = "copied_commitment"
    BAD_SLOTS = "bad_slots"
    BAD_OPENING = "bad_opening"
    NOT_IN_STOCK = "not_in_stock"
    BAD_HOP = "bad_hop"
    TOOK_TOO_MANY = "took_too_many"
    TOOK_NONE = "took_none"
    SLOT_OVERWRITTEN = "slot_overwritten"
    BAD_HAND_OPENING = "bad_hand_opening"
    BAD_MATCH_KEY_OPENING = "bad_match_key_opening"
    HAND_NOT_HELD = "hand_not_held"
    BAD_DRAW_KEY = "bad_draw_key"
    BAD_DRAW_QUERY = "bad_draw_query"
    PEEKED = "peeked"
    BAD_PSEUDONYM = "bad_pseudonym"
    BAD_DECK = "bad_deck"
    BAD_ASSIGNMENT = "bad_assignment"
    BAD_TRANSFER = "bad_transfer"
    # commutative dealing: proven lies
    BAD_PACK = "bad_pack"
    BAD_UNWRAP = "bad_unwrap"
    BAD_KEY_OPENING = "bad_key_opening"
    # group elements, oblivious transfer, envelopes
    BAD_POINT = "bad_point"
    BAD_SCALAR = "bad_scalar"
    BAD_PROOF = "bad_proof"
    BAD_MATCH_KEY = "bad_match_key"
    BAD_SLOT_KEY = "bad_slot_key"
    BAD_ENVELOPE = "bad_envelope"
    BAD_MODULUS = "bad_modulus"
    BAD_NUMBER = "bad_number"
    BAD_CHUNK = "bad_chunk"
    # games: visible to everybody at once
    BAD_ACTION = "bad_action"
    NOT_YOUR_TURN = "not_your_turn"
    ILLEGAL_MOVE = "illegal_move"
    TILE_PLAYED = "tile_played"
    TOO_COSTLY = "too_costly"
    # games: found when hands are opened
    NOT_HELD = "not_held"
    FALSE_PASS = "false_pass"
    FALSE_DRAW = "false_draw"
    FALSE_DENIAL = "false_denial"
    FALSE_CHOICE = "false_choice"
    # games: actions that stand without effect
    OVERTAKEN = "overtaken"
    # cards: records
    BAD_CONTENT = "bad_content"
    WRONG_CREATOR = "wrong_creator"
    WRONG_LINK = "wrong_link"
    # cards: trading
    ANOTHER_SESSION = "another_session"
    BAD_TRADE = "bad_trade"
    OTHER_TRADE = "other_trade"
    NOT_OWNED = "not_owned"
    # cards: witnesses
    BAD_MERKLE_PROOF = "bad_merkle_proof"
    NO_LIE = "no_lie"
    NOT_A_WITNESS = "not_a_witness"
    NOT_IN_CHARGE = "not_in_charge"
    LACKING = "lacking"
    UNSETTLED = "unsettled"
    SPENT = "spent"
    HEAD_AHEAD = "head_ahead"
    WITNESS_LIED = "witness_lied"
    # cards: runs and sales
    BAD_RUN = "bad_run"
    BAD_SEALED_PACK = "bad_sealed_pack"
    WRONG_PACK = "wrong_pack"
    BAD_TERMS = "bad_terms"
    SOLD_OUT = "sold_out"
    # cards: decks hidden from everybody but their owners
    BAD_SLOT = "bad_slot"
    NOT_ACCEPTED = "not_accepted"
    # seeded dealing: proven lies
    BAD_SEED = "bad_seed"
    BAD_GIVE = "bad_give"


# faults of a seat that is gone: it is named for that, and nobody has cheated
ABSENCES = frozenset({Code.LEFT, Code.LAPSED})


def parse_code(said: str) -> Code:
    """Return the code with the name `said`, sent by another program; INTERNAL for an unknown
    name.
    """
    return Code(said) if said in set(Code) else Code.INTERNAL


def code_phrase(code: Code) -> Phrase:
    """Return the meaning of the code for people, as a part of a sentence."""
    return phrase(f"code.{code}")


# First code of each section of docs/protocol, chapter 11. The chapter lists codes in the order of
# `Code`.
_FIRST = (
    Code.FRAME_SIZE,
    Code.BAD_HANDSHAKE,
    Code.NO_SUCH_TABLE,
    Code.BAD_ENTRY,
    Code.TABLE_ACCEPTED,
    Code.GAP,
    Code.LEFT,
    Code.BAD_LIST,
    Code.BAD_PACK,
    Code.BAD_POINT,
    Code.BAD_ACTION,
    Code.NOT_HELD,
    Code.OVERTAKEN,
    Code.BAD_CONTENT,
    Code.ANOTHER_SESSION,
    Code.BAD_MERKLE_PROOF,
    Code.BAD_RUN,
    Code.BAD_SLOT,
    Code.BAD_SEED,
)


def spec_section(code: Code) -> str:
    """Return the section of docs/protocol that defines this code: "11.8" is chapter 11, section
    8.
    """
    order = list(Code)
    return f"11.{sum(order.index(first) <= order.index(code) for first in _FIRST)}"
