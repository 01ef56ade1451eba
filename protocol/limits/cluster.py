"""Bounds of a table on several hosts, each with its unit and its reason."""

# --- hosts of one table ---
MAX_BEAT = 256 * 1024  # bytes of what a host says of itself; 3,000 running matches of two
MAX_BEAT_ITEMS = 16_384  # of anything in it; more of them do not fit anyway
MAX_HOMES_KEPT = 16_384  # tables whose homes are remembered; people may ask for any
MAX_CLAIMS = 4  # matches that a host claims at once; each is read and folded as a whole
HOST_WAIT_SECONDS = 10.0  # that somebody waits whose match nobody has yet; a takeover takes four
# without a word of the store and of the others, then who is here is sent away
HOST_CUT_OFF_SECONDS = 5.0
# without a word of the store alone, likewise: others may be cut off with us
HOST_NO_STORE_SECONDS = 15.0
# before who has come again is sent away once more; nobody is sent round all the time
HOST_AWAY_SECONDS = 30.0
HOST_GIVEN_SECONDS = 10.0  # in which it is said to whom a match was released; ten beats
# to finish and release what is at the store; then others claim it like a dead host's
HOST_LEAVE_SECONDS = 3.0
# matches of other hosts that a host reads for who watches; 64 questions a second to the store
MAX_FOLLOWED = 32
# these take in memory; 700 usual logs, a third of the longest there can be
MAX_FOLLOWED_BYTES = 64 * 1024 * 1024
# between two looks for what came to such a match; people make a move in two seconds
FOLLOW_POLL_SECONDS = 0.5
FOLLOW_PAUSE_SECONDS = 0.05  # between them at least, however many come to watch
FOLLOW_READ_SECONDS = 2.0  # that somebody waits until all of it is read; then its owner is asked
# that it is read on without anybody; who comes and goes has it read once
FOLLOW_IDLE_SECONDS = 30.0
# times in a row that it is read anew, each after twice as long; half a minute in all
FOLLOW_FAILS = 5
