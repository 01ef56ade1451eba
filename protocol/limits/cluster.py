"""Limits of a table on several hosts, with their units and reasons."""

# --- hosts of one table ---
MAX_BEAT = 256 * 1024  # bytes of a host's heartbeat; enough for 3,000 running matches of two
MAX_BEAT_ITEMS = 16_384  # items in any list of a heartbeat; more do not fit into its bytes anyway
MAX_HOMES_KEPT = 16_384  # tables whose hosts are remembered; people may ask for any table
MAX_CLAIMS = 4  # matches that a host claims at once; each must be read and folded completely
# seconds that a player waits for a match without a host; a takeover takes four
HOST_WAIT_SECONDS = 10.0
# seconds without contact to the store and the other hosts, before a host sends its players away
HOST_CUT_OFF_SECONDS = 5.0
# seconds without contact to the store alone, before a host sends its players away; the other hosts
# may be cut off too
HOST_NO_STORE_SECONDS = 15.0
# seconds before a player who has come back is sent away again; nobody is sent back and forth all
# the time
HOST_AWAY_SECONDS = 30.0
# seconds for which heartbeats say which host got a released match; ten heartbeats
HOST_GIVEN_SECONDS = 10.0
# seconds to finish pending writes to the store and to release them; after that, other hosts claim
# the matches as after a crash
HOST_LEAVE_SECONDS = 3.0
# matches of other hosts that a host reads for its spectators; they cause 64 queries a second to the
# store
MAX_FOLLOWED = 32
# bytes of memory for these matches; 700 usual logs, or a third of the longest log
MAX_FOLLOWED_BYTES = 64 * 1024 * 1024
# seconds between two queries for new entries of such a match; people make a move in two seconds
FOLLOW_POLL_SECONDS = 0.5
FOLLOW_PAUSE_SECONDS = 0.05  # minimum seconds between two queries, for any number of new spectators
# seconds that a spectator waits until the whole match is read; then the match's own host is asked
FOLLOW_READ_SECONDS = 2.0
# seconds that a match without spectators is still followed; a spectator who comes and goes causes
# one read
FOLLOW_IDLE_SECONDS = 30.0
# consecutive retries, each after twice the time; half a minute in total
FOLLOW_FAILS = 5
# hosts that a claim names which have claimed a match before and have not carried it; two count
MAX_LOADING = 8
# seconds after a claim for which a host that goes silent may have gone silent for this match; a
# match of 200 hands takes half of that
LOADING_SECONDS = 60.0
# hosts that went silent while they loaded a match, after which the match is left to the operator
MAX_LOADING_LOST = 2
# seconds after which a seat that was sent to the host of its match, and comes again, is reported;
# a connection takes one
HOST_STRAY_SECONDS = 2.0
# seconds for which a seat is reported that does not come again, and for which it may stay away
HOST_STRAYS_KEPT_SECONDS = 10.0
MAX_STRAYS = 256  # seats that a host reports at once; their reports take 16 kB of a heartbeat
# seconds for which a seat does not lapse that does not answer, or has lost its line, at a table of
# several hosts; a player notices after eight, and another host reports it five later
HOST_UNREACHED_SECONDS = 20.0
# seconds for which a host does not claim a match again that it gave up since nobody reached it
HOST_UNREACHED_AGAIN_SECONDS = 600.0
# days after its end for which a finished match stays in the store; a season
MAX_STORE_DAYS = 90
# MiB of all matches in the store; above that, finished matches go, those that began first; some
# 300,000 matches of dominoes
MAX_STORE_MIB = 16_384
# seconds after its end for which a match stays even above MAX_STORE_MIB; players look back on the
# next day
STORE_KEPT_SECONDS = 86_400.0
# seconds between two looks at what is to go from the store; a busy host finishes 500 MB of matches
# meanwhile
PRUNE_SECONDS = 300.0
# items of the store that a look goes through before others get their turn; some 0.3 s of the store
PRUNE_STEPS = 64
# appends of one statement to a database, and the bytes of their items; they share a commit, and a long
# statement would hold up those behind it
MAX_GROUP_APPENDS = 64
MAX_GROUP_BYTES = 1024 * 1024
# items about tables in the store, above which those that later ones have replaced go; a host that
# starts reads all of them, in 2 s
MAX_LOBBY_ITEMS = 1_000
# seconds after a look at these items has failed, until the next one; each appends some
LOBBY_RETRY_SECONDS = 24 * 3600.0
PRUNE_PAUSE_SECONDS = 0.5  # seconds between two turns; more than 100 matches a second may go
# seconds between two looks at the clock of a store's servers, by which finished matches go
STORE_CLOCK_SECONDS = 60.0
# matches of which a look remembers that they stay; about 10 MB
MAX_PRUNE_KEPT = 65_536
