"""Every code that crosses the wire or stands in a verdict, with the sentence a person reads for it."""

from enum import StrEnum


class Code(StrEnum):
    """Wire and verdict codes. Names are stable; sentences are in `SENTENCES`."""

    # frames and encoding
    FRAME_SIZE = "frame_size"
    BAD_ENCODING = "bad_encoding"
    BAD_MESSAGE = "bad_message"
    # session
    BAD_HANDSHAKE = "bad_handshake"
    BAD_RECORD = "bad_record"
    BAD_IDENTITY = "bad_identity"
    BAD_SIGNATURE = "bad_signature"
    BAD_NAME = "bad_name"
    WRONG_TABLE_KEY = "wrong_table_key"
    WRONG_VERSION = "wrong_version"
    TOO_SLOW = "too_slow"
    CUT_OFF = "cut_off"
    TAKEN_OVER = "taken_over"
    CLOSING = "closing"
    INTERNAL = "internal"
    # lobby
    NO_SUCH_TABLE = "no_such_table"
    TABLE_FULL = "table_full"
    ALREADY_SEATED = "already_seated"
    NAME_TAKEN = "name_taken"
    TOO_MANY = "too_many"
    BY_INVITATION = "by_invitation"
    # entries: refused as they are
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
    # the log: what the table answers for
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
    # layered dealing: lies
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
    # commutative dealing: lies
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
    # games: in plain sight
    BAD_ACTION = "bad_action"
    NOT_YOUR_TURN = "not_your_turn"
    ILLEGAL_MOVE = "illegal_move"
    TILE_PLAYED = "tile_played"
    # games: found when hands are shown
    NOT_HELD = "not_held"
    FALSE_PASS = "false_pass"
    FALSE_DRAW = "false_draw"
    FALSE_DENIAL = "false_denial"
    # games: what stands, and has no effect
    OVERTAKEN = "overtaken"


SENTENCES: dict[Code, str] = {
    Code.FRAME_SIZE: "a frame's length is zero or above the limit",
    Code.BAD_ENCODING: "the bytes are not canonical MessagePack of the permitted kinds",
    Code.BAD_MESSAGE: "a message of unknown type, wrong shape, or not allowed now",
    Code.BAD_HANDSHAKE: "the handshake failed",
    Code.BAD_RECORD: "an encrypted record did not open",
    Code.BAD_IDENTITY: "the identity is not a valid key or does not sign for this session",
    Code.BAD_SIGNATURE: "a signature is not the one of this identity over these fields",
    Code.BAD_NAME: "a name is empty, longer than 24 characters, has characters that do not belong together, "
    "or reads as a program's own words",
    Code.WRONG_TABLE_KEY: "the table's identity is not the one that was expected",
    Code.WRONG_VERSION: "the other side speaks another version of the protocol",
    Code.TOO_SLOW: "a deadline passed",
    Code.CUT_OFF: "the connection ended without a close record",
    Code.TAKEN_OVER: "the same identity connected again, and that connection goes on",
    Code.CLOSING: "the table is closing down",
    Code.INTERNAL: "an error inside the table; it has been logged there",
    Code.NO_SUCH_TABLE: "there is no such table here",
    Code.TABLE_FULL: "all seats of this table are taken",
    Code.ALREADY_SEATED: "this identity already has a seat",
    Code.NAME_TAKEN: "somebody with this name, or one that looks like it, is already at the table",
    Code.TOO_MANY: "the table's limit for this has been reached",
    Code.BY_INVITATION: "this table lets in only those who show its invitation",
    Code.BAD_ENTRY: "the entry is malformed, or of an unknown kind, or too large",
    Code.BAD_ENTRY_SIGNATURE: "the entry's signature is not its author's",
    Code.WRONG_AUTHOR: "the entry's author is not who sent it",
    Code.WRONG_SEQUENCE: "the entry is not the next one of its author: sent twice, or out of order",
    Code.WRONG_HEAD: "the log head that the author says it saw is not in this log",
    Code.STALE: "the author had not yet seen what it answers to",
    Code.NOT_NOW: "it is not this author's turn to post this",
    Code.MATCH_OVER: "the match is over",
    Code.WRONG_MATCH: "no such match is running for this connection",
    Code.BAD_POINT: "a group element is not validly encoded, or is the identity where that is refused",
    Code.BAD_SCALAR: "a scalar is not 32 bytes below the group's order",
    Code.BAD_PROOF: "a proof does not show what it has to show",
    Code.BAD_MATCH_KEY: "a seat's key for this match is not valid, or not the one that it posted",
    Code.BAD_SLOT_KEY: "a one-time key of a slot or a batch is not valid, or not the one that was posted",
    Code.BAD_ENVELOPE: "a sealed envelope did not open",
    Code.BAD_OPTIONS: "unknown game, dealing protocol or option, or a value out of range",
    Code.UNKNOWN_RULES: "this game, or exactly this version of its rules, is not installed here",
    Code.BAD_SETUP: "the match's first entry does not describe a match",
    Code.WRONG_SCORES: "the receipt does not state the score of this match",
    Code.TABLE_ACCEPTED: "the table put an entry into the log that it had to refuse",
    Code.TABLE_FORGED: "the table put an entry into the log that its author did not sign",
    Code.TABLE_FORKED: "the table signed two different logs",
    Code.TABLE_REFUSED: "the table refused an entry that it had to put into the log",
    Code.WRONG_SETUP: "the table opened a match that is not the one that this player agreed to",
    Code.GAP: "entries are missing between what is here and what was sent",
    Code.FORKED: "signed two different entries for one number of the log",
    Code.NOT_INVITED: "begins a match that nobody here has offered, or that was begun already",
    Code.BAD_MAIL: "its headers are too long or too many, or it has parts in parts in parts: it is not looked into",
    Code.NO_PARCEL: "there is no parcel of fairdeal in it, or more than one",
    Code.LEFT: "left the match before its end",
    Code.LAPSED: "did not answer in its time, by the table's clock",
    Code.TOO_EARLY: "says that a seat's time is over before it is",
    Code.FALSE_PROTEST: "protested against an entry, and everything that was opened shows no fault",
    Code.BAD_KEY_SHARE: "shared its key, or gave its share of another's key, in a way that does not fit",
    Code.BAD_NONCE: "opened a roster nonce that is not the one it committed to",
    Code.BAD_LIST: "published a list of the wrong length or with an element twice",
    Code.BAD_STOCK: "published a stock of the wrong size",
    Code.BAD_LAYER_KEY: "published a layer key that does not lead to an element of the list before",
    Code.COPIED_COMMITMENT: "repeated the commitment of another seat",
    Code.BAD_SLOTS: "published slots that are empty, equal or not valid keys",
    Code.BAD_OPENING: "showed a piece with an opening that is not that piece's",
    Code.NOT_IN_STOCK: "asked for a piece that is not in the stock",
    Code.BAD_HOP: "sent the next seat an envelope that does not open to what it must hold",
    Code.TOOK_TOO_MANY: "took more pieces than its hand holds, or more than one at a time",
    Code.TOOK_NONE: "kept the selection going by not taking a piece when it had to",
    Code.SLOT_OVERWRITTEN: "filled or changed a slot that belongs to another seat",
    Code.BAD_HAND_OPENING: "opened a hand that is not the one it committed to or took",
    Code.BAD_MATCH_KEY_OPENING: "did not open the private half of its match key",
    Code.HAND_NOT_HELD: "claimed a piece whose slot key it does not have",
    Code.BAD_DRAW_KEY: "handed over a layer key that is not the one of the piece drawn",
    Code.BAD_DRAW_QUERY: "made a query for a draw that is not a valid point",
    Code.PEEKED: "asked the table for another piece than the one it drew",
    Code.BAD_PSEUDONYM: "opened a pseudonym as something that it is not",
    Code.BAD_DECK: "dealt from a deck in which pieces were missing or doubled",
    Code.BAD_ASSIGNMENT: "told a seat a wrong piece for its pseudonym",
    Code.BAD_TRANSFER: "offered a wrong piece to a seat that drew",
    Code.BAD_PACK: "packed other cards than the ones it was given, or dropped or doubled some",
    Code.BAD_UNWRAP: "took its envelope off wrongly, to spoil a card or to peek at another",
    Code.BAD_KEY_OPENING: "opened another key than the one it committed to",
    Code.BAD_ACTION: "the action is not one that this game knows, or has the wrong shape",
    Code.NOT_YOUR_TURN: "it is not this seat's turn",
    Code.ILLEGAL_MOVE: "the rules do not allow this action now",
    Code.TILE_PLAYED: "this tile has already been played",
    Code.NOT_HELD: "the seat played a piece that it did not hold",
    Code.FALSE_PASS: "the seat passed although it could have played",
    Code.FALSE_DRAW: "the seat drew although it could have played",
    Code.FALSE_DENIAL: "the seat said that it did not hold a tile that it held",
    Code.OVERTAKEN: "the action was right in what its author had seen, but another came first",
}


def code_of(said: str) -> Code:
    """The code that somebody else's program said; INTERNAL for one that the specification does not know."""
    return Code(said) if said in set(Code) else Code.INTERNAL


def sentence(code: Code) -> str:
    """What the code means, for a person."""
    return SENTENCES[code]


# The first code of each section of docs/protocol, chapter 11, which has them in the order of `Code`.
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
)


def section(code: Code) -> str:
    """Where the specification has this code: "11.8" is docs/protocol, chapter 11, section 8."""
    order = list(Code)
    return f"11.{sum(order.index(first) <= order.index(code) for first in _FIRST)}"
