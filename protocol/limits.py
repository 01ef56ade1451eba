"""Every bound in one place, with its unit and its reason."""

# --- frames (bytes) ---
FRAME_HEADER = 4  # big-endian length
MAX_HANDSHAKE_FRAME = 512  # a Noise XX message with an identity payload is under 300
MAX_FRAME = 65_535  # Noise's own limit for a transport message
MAX_MESSAGE = MAX_FRAME - 16 - 1  # less the AES-GCM tag and the record type

# --- encoding ---
MAX_DEPTH = 8  # nesting of lists; the deepest message of ours needs 5
MAX_INT = 2**63 - 1  # what a signed 64-bit field holds in any language

# --- tables ---
MAX_SEATS = 8  # dominoes needs 4; more seats make selection slow
MAX_PIECES = 208  # four packs of cards
MAX_NAME = 24  # characters of a player's or table's name; fits a column on a terminal
MAX_ENTRY = 48 * 1024  # bytes of one encoded entry; the largest (208 slots, sealed) is under 30 kB
MAX_VALUE = 40  # characters of an option's value
MAX_OPTIONS = 8  # options of a game or a dealing protocol
MAX_TABLES_LISTED = 200  # rows of a lobby listing; 200 rows of 4 seats stay under a frame
MAX_ENVELOPE = 16 * 1024  # bytes of a sealed envelope; 208 slot keys are 6.7 kB
MAX_LOG_FILE = 256 * 1024 * 1024  # bytes of a log file; 500 hands dealt in the slowest way there is take 220 MB

# --- dominoes ---
MIN_DOMINO_SEATS = 2  # seats; alone there is nobody to hide a tile from
MAX_DOMINO_SEATS = 4  # seats; four hands of seven use up a set of 28
DOMINO_SETS = (6, 9)  # highest number of the set: 28 or 55 tiles; both fit MAX_PIECES
MAX_DOMINO_TARGET = 10_000  # points of a match; some hundred hands, far longer than anybody plays
MAX_DRAWS = MAX_PIECES  # draws in one deal: every piece once

# --- layered dealing (counts) ---
FREE_ROUNDS_PER_PIECE = 4  # rounds of selection, per piece of a hand, before taking stops being by chance:
# with p >= 1/2 a seat needs more than that with odds under 2^-20, and with small p nothing is lost but speed
