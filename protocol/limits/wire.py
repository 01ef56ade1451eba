"""Bounds of frames and their encoding, each with its unit and its reason."""

# --- frames (bytes) ---
FRAME_HEADER = 4  # big-endian length
MAX_HANDSHAKE_FRAME = 512  # a Noise XX message with an identity payload is under 300
MAX_FRAME = 65_535  # Noise's own limit for a transport message
MAX_MESSAGE = MAX_FRAME - 16 - 1  # less the AES-GCM tag and the record type

# --- encoding ---
MAX_DEPTH = 8  # nesting of lists; the deepest message of ours, a listing, needs 7
MAX_INT = 2**63 - 1  # what a signed 64-bit field holds in any language
# bytes of a value that the library may decode; nested heads of lists cost it 0.1 ms at most
MAX_SMALL = 2048
MAX_SMALL_LIST = 64  # items of a list in such a value; what it sets aside before it reads any

# --- a table of several hosts ---
# addresses in a link, and in a `welcome`; three to five hosts keep a table, some with two doors
MAX_HOSTS = 8
MAX_ADDRESS = 480  # characters of an address; a name has 253 at most, a path 200
# that a player lets a table send it on, within HOPS_SECONDS; one leads to the host that has the
# match
MAX_HOPS = 5
HOPS_SECONDS = 30  # in which hops are counted; takeovers that hosts argue about are over in less
# between two words of one of several hosts to who is in a match: three may fail before the next
LIFE_SECONDS = 1
# without a word of such a host, then another one is asked; a busy one stalls a second or two
SILENCE_SECONDS = 4
# that it has at most, twice as long after each time that it was silent; radio has gaps
MAX_SILENCE_SECONDS = 32
# until a player notices that the machine of one of several hosts is gone; radio has gaps of some
WATCH_SECONDS = 8
