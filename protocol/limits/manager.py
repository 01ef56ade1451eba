"""Limits of a table manager, with their units and reasons."""

# --- table manager: connections ---
MAX_CONNECTIONS = 2_048  # connections at once; about 20 kB each when idle
# connections of one IPv4 address or IPv6 /64; a class of pupils behind one router
MAX_PER_ADDRESS = 64
# connections before `hello`; the oldest of the address with most of them is closed first
MAX_HALF_OPEN = 128
# connections of one address before `hello`, of which the oldest is closed first; half a class
# arriving at once
MAX_HALF_OPEN_PER_ADDRESS = 32
# new connections of one address in a burst, and per second in the long run; a handshake takes 0.8
# ms
ARRIVALS_PER_ADDRESS = (512, 32)
# connections of one IPv6 /56 and /48; what a customer has, and an organisation
MAX_PER_CUSTOMER = 128
MAX_PER_ORGANISATION = 512
# new connections of one IPv6 /56 and /48 in a burst, and per second in the long run
ARRIVALS_PER_CUSTOMER = (768, 48)
ARRIVALS_PER_ORGANISATION = (1_024, 64)
# new connections of all addresses in a burst, and per second in the long run; a sixth of one core
ARRIVALS = (1_024, 192)
# new connections in a burst, and per second in the long run, for those for whom ARRIVALS has none
# left and who have come rarely; a twentieth of one core
RARE_ARRIVALS = (512, 64)
# new connections of one address (of IPv6: /48) out of RARE_ARRIVALS in a burst, and per second in
# the long run; a class that arrives at once
RARE_ARRIVALS_PER_ADDRESS = (64, 0.5)
# connections for which there is no place, and whose first message is read, because it may have a
# ticket; it comes at once, and the oldest connection is turned away first
MAX_OUTSIDE = 128
# such connections of one address (of IPv6: /48); a class that comes back at once
MAX_OUTSIDE_PER_ADDRESS = 32
# such connections of one address (of IPv6: /48) in a burst, and per second in the long run; each
# costs some 0.5 ms
OUTSIDE_PER_ADDRESS = (64, 4)
# seconds for the first message of such a connection; a lost packet is sent again twice
OUTSIDE_SECONDS = 5
# connections that have shown a ticket and have not proved the key of its seat, one of each seat; a
# handshake needs a round trip
MAX_TICKETS_SHOWN = 128
# such connections of one address (of IPv6: /48); as MAX_OUTSIDE_PER_ADDRESS
MAX_TICKETS_SHOWN_PER_ADDRESS = 32
# tickets of one seat that are accepted in a burst, and per second in the long run; each costs a
# handshake, and a player tries again after 5 s
TICKETS_PER_SEAT = (16, 1)
# first messages of a seat with a ticket that a table remembers, so that none counts twice; a player
# needs one
TICKET_MESSAGES_KEPT = 64
# seats whose tickets a table remembers; more than run at once, and about 4 MB
MAX_TICKET_SEATS = 16_384
# connections of seats of running matches beyond MAX_CONNECTIONS; a quarter of it
MAX_RESERVE = 512
# bytes that are read of a newcomer who is turned away; the first message of a handshake is shorter
TURNED_AWAY_READ = 4_096
# seconds between two lines of the log about one thing that peers do wrong
REFUSED_LOG_SECONDS = 60
# addresses that are counted for such a line; about 50 kB for each
MAX_REFUSED_ADDRESSES = 256
# lines of the log with one message in LOG_LINES_SECONDS; a table where 60 matches begin in a minute
LOG_LINES = 60
LOG_LINES_SECONDS = 60  # seconds; the other lines are counted
MAX_ADDRESSES_KEPT = 16_384  # addresses (or identities) whose arrivals are remembered; about 4 MB
# new connections accepted before existing ones get their turn; a refusal takes 20 us
ACCEPTS_PER_TURN = 8
# connections that the system queues for the table: a class arriving at once, four times over
LISTEN_BACKLOG = 256
# seconds until the next accept after the system had no descriptor or memory for a connection
ACCEPT_RETRY_SECONDS = 1
# seconds for handshake and hello together, not for each read; a slow mobile line needs 3
HANDSHAKE_SECONDS = 10
# frames from one connection in a burst, and per second in the long run; bots send 200
FRAMES = (1_000, 500)
# frames from one address in a burst, and per second in the long run; a class of pupils in the
# middle of a deal
FRAMES_PER_ADDRESS = (16_000, 4_000)
# times that a player sends a legal entry again after the table has refused it; then it stops, and
# stays at the table
MAX_REPEATS = 3
# refusals that wait until their author has read the log so far; honest programs have one
MAX_REFUSALS_WAITING = 64
# frames that a refused entry counts as, because its signature was checked for nothing
REFUSED_COSTS = 25
# bytes of a posted entry that count as one frame; a hop, a move or ten proven shares are smaller
ENTRY_FREE = 1024
# bytes of an entry beyond ENTRY_FREE that count as one frame; a proven shuffle of 52 cards counts
# as 290 frames for its check
BYTES_A_FRAME = 32
# seconds of processor time that an address (of IPv6: /64), or an identity, may spend before what it
# sends waits; a hundred moves, or the hand of a seat at hold'em
PROCESSOR_RESERVE = 0.1
# seconds of processor time in a second for all who have used up their reserve, while others are
# there; half of what a table gets of a machine that does as much besides
PROCESSOR_SHARE = 0.25
# seconds without work for any other address, after which one has all of the processor; a game of
# people has an entry in some seconds
PROCESSOR_ALONE_SECONDS = 1
# seconds of processor time that an address may owe, what is above is forgiven; twice the longest
# entry, a shuffle by residues
PROCESSOR_DEBT = 2
# seconds of processor time of one address in one turn of the event loop; a move
PROCESSOR_TURN_SECONDS = 0.001
# seconds at most between two looks at who is read from next; the others that wait change that
PROCESSOR_LOOK_SECONDS = 0.1
# seconds of processor time that an address may owe without waiting: what a reading of the clock
# takes. A shorter wait would not move a clock on
PROCESSOR_LEAST_DEBT = 0.000_001
# seconds of processor time of an entry at a worker, from which on it counts as long; short ones do
# not wait behind such entries where there are two workers
PROCESSOR_LONG_SECONDS = 0.01
# seconds after the last entry of a match without long entries, for which a worker is kept for such
# matches; a game of people has an entry in some seconds
PROCESSOR_SHORT_KEPT_SECONDS = 5
# seconds for which the matches of an address count as long after such an entry
PROCESSOR_LONG_KEPT_SECONDS = 60
# seconds from the start of a frame to its end, not for each read; the largest takes 25 at 20 kbit/s
FRAME_SECONDS = 30
# file descriptors reserved for the journal, exported logs and the interpreter
SPARE_DESCRIPTORS = 32
# bytes of a PROXY header; its addresses take 52, and information of proxies about certificates
# takes hundreds
MAX_PROXY_HEADER = 4_096
# bytes of the request that opens a WebSocket; browsers and proxies add at most 8 kB
MAX_UPGRADE = 16_384
# bytes read from one peer before the others get their turn; one whole frame
READ_CHUNK = 64 * 1024
# bytes queued for one peer before nothing more is read from the journal for it; two chunks, one of
# which may be in transit
HIGH_WATER = 128 * 1024
# bytes for a peer in the system's send buffer; for talk ahead of an entry see MAX_TALK_QUEUED
MAX_UNSENT = 12 * 1024
# bytes queued in the table after which talk is dropped; with MAX_UNSENT they take 10 s at 20
# kbit/s, the same as WARNING_SECONDS
MAX_TALK_QUEUED = 12 * 1024
# bytes queued for one peer; a log in chunks and all possible talk stay below it
MAX_QUEUED = 1024 * 1024
# bytes queued for all peers, after which the peer with most of them is disconnected
MAX_QUEUED_IN_ALL = 64 * 1024 * 1024
# bytes of stored logs for the readers of one address in a burst, and per second in the long run; a
# class that watches a long match, and 2 % of one core
LOG_BYTES_PER_ADDRESS = (8 * 1024 * 1024, 2 * 1024 * 1024)
# bytes of stored logs for the seats of one address in running matches, in a burst and per second in
# the long run; a class that comes back at once without its logs
SEAT_LOG_BYTES_PER_ADDRESS = (64 * 1024 * 1024, 4 * 1024 * 1024)
# bytes that an entry of a stored log counts as besides its own; the time to encrypt a short record
ENTRY_OVERHEAD = 256
# bytes of a stored log for one reader, before others get their turn; an entry may be longer
READ_PART = 16 * 1024
# bytes of stored logs for all readers, before all else in the program gets its turn; some 2 ms
READ_TURN = 32 * 1024
# times as long as such a turn took, until the next: readers get a quarter of the time
READ_REST = 3
# seconds between two such turns, at least; 32 MB a second for one who reads alone
READ_REST_SECONDS = 0.001
# seconds at least, until it is looked again for readers whose address has used up its bytes
READ_PAUSE = 0.01
# bytes of encoded entries that are kept because several readers are sent them
MAX_ENCODED_ENTRIES = 8 * 1024 * 1024
# seconds without progress after which a peer is disconnected; the gap of a mobile line is under 10
STALL_SECONDS = 20
# seconds to read the table's close record before the connection is dropped; a table has two seconds
# to stop
CLOSE_SECONDS = 1.5
KEEPALIVE_SECONDS = 60  # seconds of silence before TCP asks whether the peer is still there

# --- table manager: lobby and matches ---
# tables at once; 200 matches of poker need 300 MB. A host with more memory may have more: the lobby
# has pages
MAX_TABLES = 200
MAX_TABLES_PER_IDENTITY = 4  # tables created by one identity at once
# tables created from one address at once, with or without a running match; a class in pairs, twice
# over
MAX_TABLES_PER_ADDRESS = 32
# tables created from one address in a burst, and per second in the long run; each is stored
CREATIONS_PER_ADDRESS = (32, 2)
# seats taken from one address, in running and future matches; as MAX_PER_ADDRESS
MAX_SEATS_PER_ADDRESS = 64
# lobby requests of one identity in a burst, and per second in the long run; a person makes one
REQUESTS = (64, 4)
# lobby requests of one address in a burst, and per second in the long run; a list of 200 tables
# costs 3 ms
REQUESTS_PER_ADDRESS = (512, 32)
MAX_SPECTATORS = 64  # spectators of one match; each entry is encrypted separately for each of them
# seconds until the table reports a change of presence; an unstable line is no news, and must not
# cause a flood
PRESENCE_SECONDS = 3.0
# seconds between two lines about presence on a screen, for any number of reports; more would push
# talk off the screen
PRESENCE_NEWS_SECONDS = 30.0
# seconds after a match in which a player or spectator may begin to ask for unread entries, and then
# must take more of them
GOODBYE_SECONDS = 10
# spectators from one address, so that no address takes all places; a class that watches
MAX_SPECTATORS_PER_ADDRESS = 32
# places for readers of past matches; 10 MB of usual logs, and the person with most of them loses
# one first
MAX_PAST_MATCHES = 32
# bytes of past matches in memory while they are read; one may be longer. A match may have
# FULL_LOG, and 32 of those would take all memory of a machine
MAX_PAST_BYTES = 64 * 1024 * 1024
# past matches that are fetched from the disk at once; each is whole in memory before it is counted
MAX_FETCHES = 2
# MiB of finished matches that a new standby is given, the newest; the table waits meanwhile
MAX_JOURNAL_MIB = 1024
# MiB of log files of past matches; the oldest are deleted, since every player has a copy
MAX_LOGS_MIB = 4096
# seconds after a restart until tables whose creator has not come back are removed
RETURN_SECONDS = 120
# seconds after the first seat's return to another host, for other seats to report their newest
# heads; they retry at least every 7.5 s, and a takeover must not take 15 s
RETURNING_SECONDS = 8
# seconds after the first seat's return to a table with one host, for other seats to report their
# newest heads; an attempt at a machine that starts may hang for 10 s more
RETURNING_ALONE_SECONDS = 20
# seconds to get entries that a store is known to have lost; a player who has them may have to be
# called, and start a machine
LOST_TAIL_SECONDS = 300
# newest records that a player without a log stores; as MAX_CHANGE_ENTRIES, at most 3 MB
MAX_TAIL_KEPT = 64
# records of a message with a log's tail; their heads take 20 ms to check
MAX_TAIL_RECORDS = 256
# seconds without contact to the store, after which a host signs no refusals; others may claim its
# matches after 3 s of silence
HOST_STALE_SECONDS = 2
# bytes of entries of one match that are stored at once; more than arrive in a second
MAX_CHANGE = 1024 * 1024
# entries of one match that are stored at once; their heads have 4 kB in one row of the store
MAX_CHANGE_ENTRIES = 64
# outcomes of entries that are stored with one change; more than come with it only after a fold with
# all proofs, and then 10 kB
MAX_STAMPS = 256
# bytes of the stored outcome of an entry: a MAC, and the code of a lie
MAX_STAMP = 32 + 64
# seconds for which a table that starts loads its matches before it listens; the others are loaded
# afterwards, and those that people ask for first
RESTORE_SECONDS = 1.0
# matches that a table loads at a time when it starts; a long one holds up one place of these
RESTORED_AT_ONCE = 8
# seconds of one turn of the loop that a table spends on loading a match; then the others have one
LOAD_TURN_SECONDS = 0.005
# bytes of a log file that are written and synced at once; a commit waits for no more of it
EXPORT_PART = 256 * 1024
# rows of the journal that are read or deleted at once; 64 entries are 4 MB at most
JOURNAL_ROWS = 64
# seconds in which a log file or its reader makes some progress, however many commits there are
EXPORT_PAUSE_SECONDS = 0.05
# bytes in one transaction of the journal; a quarter of MAX_STANDBY_TRANSACTION
MAX_COMMIT = 16 * 1024 * 1024
# seconds that an entry waits for store or signer until people are told the reason; the election of
# a leader takes four
HELD_UP_SECONDS = 3
# seconds between attempts to write a journal after a disk error; a person frees space in minutes
JOURNAL_RETRY_SECONDS = 2
# seconds that a host waits for the signer's answer while everything else stands still; some
# milliseconds are usual
SIGNER_ASK_SECONDS = 1
# seconds without an answer after which a signer counts as away; as HOST_STALE_SECONDS for a store
SIGNER_AWAY_SECONDS = 2
# seconds between two checks for the signer's return; people do not notice less
SIGNER_RETRY_SECONDS = 0.5
# matches of which the signer remembers all hashes and not only the last; 70 MB, and a table has a
# thousand running
SIGNER_RECALLS = 10_000
# last hashes of a match that the signer remembers for ever; as many as MAX_CHANGE_ENTRIES; 3 kB for
# a match, 1 GB for 300,000 matches
SIGNER_TAIL = 64
# bytes of a request to the signer, or of an answer: an entry with its frame
MAX_SIGNER_FRAME = 64 * 1024
# connections to the signer at once, two of each host; the largest cluster has some ten hosts
MAX_SIGNER_HOSTS = 64
# unanswered requests of a host after which it only makes necessary ones; 30 MB
MAX_SIGNER_ASKED = 20_000
# requests that wait for the signer's disk, after which it reads no more; the work of one second
MAX_SIGNER_WAITING = 10_000

# decisions about keys and addresses that a table remembers; as MAX_MUTED_FILE
MAX_BANS = 1_000
# characters of a key's fingerprint or of an address; the longest fingerprint has 52
MAX_TARGET = 64
# bytes of the file of bans; MAX_BANS with their times and names
MAX_BANS_FILE = 256 * 1024
# seconds for which a ban that is over is remembered; a host of a cluster that was away hears of it
LIFTED_SECONDS = 30 * 24 * 3600
# seconds for a banned person to come back to a seat in a running match; two round trips and a slow
# store
BANNED_SECONDS = 10
# bytes of a frame between a table and its host's command; a match of MAX_SEATS with long names
MAX_CONTROL_FRAME = 16 * 1024
MAX_CONTROLS = 4  # commands that a table serves at once; one person types them
# seconds that a table waits for a command's request, and for it to read the answer
CONTROL_SECONDS = 5
# seconds that a command waits for a match to end; store and signer usually take milliseconds
CONTROL_END_SECONDS = 10
# characters of the path that a command names to a table; what Linux takes
MAX_CONTROL_PATH = 4_096
# things that a report of a prune names; counts and sizes are of all
MAX_PRUNED_NAMES = 1_000
# seconds between two looks whether the last match of a table that is drained is over; nobody waits
# for the exact moment
DRAIN_LOOK_SECONDS = 1.0

# --- garbage collection ---
# objects made before young, middle and old ones are collected, the latter two counted in
# collections; what an old one leaves is frozen: some 40,000 objects, 10 ms
GC_THRESHOLDS = (2_000, 5, 2)
# seconds between two looks whether a full collection is due; it takes 0.3 s at 2,000 seats
FULL_COLLECTION_SECONDS = 60
# MiB that a table may grow above twice what a full collection has left, until the next one; 2,000
# seats take less
FULL_COLLECTION_GROWTH_MIB = 512

# --- page for browsers ---
# connections at once to the page that a table serves; a browser opens six, and two classes come at
# the same time
MAX_VISITS = 384
# connections at once from one address (of IPv6: /48); a class of pupils behind one router
MAX_VISITS_HERE = 192
MAX_VISIT_REQUEST = 8 * 1024  # bytes of a request's head; browsers send less than 4 kB
VISIT_REQUEST_SECONDS = 10  # for a request to come; a browser sends it at once
# seconds for an answer to be read: the largest file has 4 MB packed, over a line of 300 kbit/s
VISIT_SECONDS = 120
VISIT_STALL_SECONDS = 20  # for a piece of an answer to go out; as STALL_SECONDS
VISIT_PIECE = 32 * 1024  # bytes of an answer that wait in the table for one visitor
# bytes of an answer that wait in the system; with a round trip of 50 ms more than 10 Mbit/s for each
# connection. Linux takes twice as many, so all visitors together hold 60 MB at most
VISIT_SEND_BUFFER = 64 * 1024
# bytes of answers to one address that go out at once, and that come back each second: the first
# visits of a class, each of 7 MB, then one in 70 s
VISIT_BYTES = 256_000_000
VISIT_BYTES_PER_SECOND = 100_000
MAX_VISITORS = 4_096  # addresses whose bytes are counted; the ones seen longest ago make room

# --- metrics ---
# connections at once to the metrics, of which the oldest is dropped first; two programs scrape, and
# somebody looks
MAX_TEXT_CONNECTIONS = 16
MAX_TEXT_REQUEST = 8 * 1024  # bytes of a request's head; browsers send less than 4 kB
# seconds for a request to come and its answer to be read; both are on this machine
TEXT_SECONDS = 5
# seconds that an answer is given again before the figures are taken anew, which costs 2 ms
TEXT_KEPT_SECONDS = 0.5

# --- meeting at a table ---
# people visible in a lobby at once; all fit one message, and nobody reads more names
MAX_PRESENT = 200
# seconds between two messages about people who come and go; an unstable connection must not cause a
# flood
PEOPLE_SECONDS = 1.0
# times that an identity may appear or change its purposes in a burst, and per second in the long
# run; each is a line on screens
APPEARS = (16, 0.2)
# remarks of one identity in a burst, and per second in the long run; nobody types faster
LOBBY_TALK = (3, 1)
# remarks of one address in a burst, and per second in the long run; a class that talks
LOBBY_TALK_PER_ADDRESS = (12, 4)
# remarks of all people in a burst, and per second in the long run; each is encrypted for
# MAX_PRESENT people, and nobody reads faster
LOBBY_TALK_IN_ALL = (32, 8)
# invitations and pipes that one identity asks for in a burst, and per second in the long run; as
# many as a person asks for
CALLS = (8, 0.5)
# invitations and pipes that one identity receives in a burst, and per second in the long run; a
# person answers one in some seconds
CALLED = (16, 1)
# invitations on a screen, of which the oldest is removed first; nobody considers more
MAX_CALLS_SHOWN = 16
# keys that a person ignores, of which the oldest is removed first; against a flood of new keys the
# host must act
MAX_IGNORED = 1_000
# remarks of one match that a report about somebody is made from, the newest; an evening of talk
REMARKS_REPORTED = 200
MAX_MUTED_FILE = 64 * 1024  # bytes of a host's list of muted people; a thousand of them
# pipes between people at one table; 8 MB with their windows, and the person with most of them loses
# one first
MAX_PIPES = 128
# pipes that one connection has or asks for; a match and a trade, and two with other people
MAX_PIPES_OF_ONE = 4
# bytes of one message through a pipe, so that others get their turn between two messages
MAX_PIPE_DATA = 8 * 1024
# bytes that each message counts in the window of a pipe in addition to its data; small messages
# cost work, too
PIPE_OVERHEAD = 64
# bytes in transit in each direction of a pipe; 0.2 s at the rate of PIPE_BYTES, 13 s at 20 kbit/s
PIPE_WINDOW = 32 * 1024
# bytes of one identity through pipes in a burst, and per second in the long run; a match needs 5 kB
# a second
PIPE_BYTES = (256 * 1024, 64 * 1024)
# bytes of all identities through pipes in a burst, and per second in the long run: eight megabit a
# second, and a tenth of one core
PIPE_BYTES_IN_ALL = (4 * 1024 * 1024, 1024 * 1024)
# seconds after which a request for a pipe counts as rejected; a person looks up from the screen in
# less
PIPE_ASK_SECONDS = 60
# seconds without a byte read after which a pipe is closed; a window takes 13 s on a slow line
PIPE_STALL_SECONDS = 60
# bytes that one's own program has queued for a pipe; four of the largest parcels
MAX_PIPE_QUEUED = 4 * 1024 * 1024

# --- a table and its standby ---
# bytes of a transaction or of a copy's rows in one message; an entry fits, with its row
MAX_STANDBY_PART = 60 * 1024
# bytes of one transaction; the largest entries of a thousand matches
MAX_STANDBY_TRANSACTION = 64 * 1024 * 1024
# characters of the address of a primary's table; the longest name of a machine has 253
MAX_STANDBY_ADDRESS = 300
# connections to a standby at once; a primary has one, and perhaps an old one that hangs
MAX_STANDBY_LINES = 8
# seconds between two signs of life of an idle primary, so that its operator soon reads of a gap
STANDBY_BEAT_SECONDS = 5
# seconds to reach the other machine; a connection between the two takes one, or fails altogether
STANDBY_CONNECT_SECONDS = 3
# seconds in which a running table answers, before another signs with its key; it may be busy
STANDBY_TWIN_SECONDS = 20
# seconds for an answer, after which a new connection is opened; a disk that syncs large files takes
# some seconds
STANDBY_ANSWER_SECONDS = 10
STANDBY_RETRY_SECONDS = 1  # seconds between two attempts to reach a standby, while all matches wait
# seconds to get the last answer while the table closes; a table has two seconds to stop
STANDBY_CLOSE_SECONDS = 1.5
# seconds between two notes on a standby's disk that its primary was there
STANDBY_NOTE_SECONDS = 60
# seconds of silence after which a standby is not promoted without a question, because the primary
# may be running alone
STANDBY_FRESH_SECONDS = 15 * 60

# --- table manager: worker processes ---
# worker processes of one table; 35 MB each
MAX_WORKERS = 64
# bytes of a message between a table and a worker; a change, and half of another
MAX_WORKER_FRAME = 2 * 1024 * 1024
# seconds of processor time that a worker may spend on one entry before it is killed; the largest
# shuffle by residues takes 2 on a slow machine, a rule file at its bound 0.1
WORKER_ENTRY_SECONDS = 20
# bytes of memory that a worker may have; 200 matches of poker need 300 MB
WORKER_MEMORY = 2 * 1024 * 1024 * 1024
# seconds at least for which a match waits for a worker before it goes to another one; opening a match
# takes as long
WORKER_PATIENCE_SECONDS = 0.01
# seconds of processor time that a match may have cost, to be folded again at another worker rather
# than to wait
WORKER_MOVE_SECONDS = 1.0
# seconds before a worker is started again that has died at its start
WORKER_RETRY_SECONDS = 1.0
