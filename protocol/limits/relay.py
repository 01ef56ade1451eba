"""Limits of a relay, and of a table behind relays, with their units and reasons."""

# --- relay ---
# guests and tables at a relay at once; twice as many sockets, and about 40 kB for each guest
MAX_RELAY_CONNECTIONS = 4_096
# new connections of one address (of IPv6: /64) to a relay in a burst, and per second in the long
# run; each costs some 3 ms, and a table as much; a class arriving at once, twice over
RELAY_ARRIVALS_PER_ADDRESS = (128, 8)
# channels at once, each of one table
MAX_RELAY_CHANNELS = 1_024
# channels of tables at one address (of IPv6: /48); a club behind one router
MAX_RELAY_CHANNELS_PER_ADDRESS = 16
# guests of one table at one relay at once; MAX_RELAYS of them leave a table 256 connections for others
MAX_RELAY_GUESTS = 896
# guests of one table from one address (of IPv6: /48); a class behind one router
MAX_RELAY_GUESTS_PER_ADDRESS = 64
# guests of one table for which the table has no line yet; the oldest of the address with most of
# them goes first
MAX_RELAY_WAITING = 64
# such guests from one address (of IPv6: /48); half a class arriving at once
MAX_RELAY_WAITING_PER_ADDRESS = 16
RELAY_TOKEN = 16  # bytes of a guest's token, at random; it cannot be guessed
# seconds until the table's line for a guest must be there; a call with TLS takes three round trips
RELAY_WAIT_SECONDS = 10
MAX_RELAY_MESSAGE = 1_024  # bytes of a control message with its frame; a claim has the longest
# characters of a guest's address in a control message; an IPv6 network with its prefix has 43
MAX_RELAYED_ADDRESS = 64
# bytes on their way to one peer, after which the other end of the line is read no more; with
# READ_CHUNK and a frame that has not come whole a guest takes at most twice 256 kB
RELAY_HIGH_WATER = 64 * 1024
# bytes that a relay holds for all peers: on their way, waiting, and of frames that have not come
# whole; above that the peers with most of them are cut off
MAX_RELAY_HELD_IN_ALL = 128 * 1024 * 1024
# bytes on their way to a peer that does not read, after which it is cut off: from a relay to a peer that
# sends pings, and from a table to its relay; those of a peer's partner are fewer
MAX_RELAY_UNREAD = 256 * 1024
# bytes taken apart before it is asked whether the sender may send more: 1,400 empty pings
RELAY_PIECE = 8 * 1024
# bytes of one sender in a burst, and per second in the long run; four times what a long log needs
RELAY_BYTES = (4 * 1024 * 1024, 512 * 1024)
# bytes of all guests of one address in a burst, and per second in the long run, and likewise of a
# table to all its guests; 32 megabit a second
RELAY_BYTES_TOGETHER = (32 * 1024 * 1024, 4 * 1024 * 1024)
# seconds of processor time in a second for all who have used up their reserve, while others are
# there; a relay does nothing else
RELAY_PROCESSOR_SHARE = 0.75
# seconds of processor time of one address, or of all lines of one table, in one turn of the event
# loop; whoever else waits, waits for no more
RELAY_TURN_SECONDS = 0.02
# seconds of processor time that one connection may spend before its accounts are asked; some forty
# records
RELAY_SETTLE_SECONDS = 0.0005
# seconds of silence after which a relay pings; web servers usually disconnect after a minute
RELAY_PING_SECONDS = 25
# seconds of silence after which a line counts as dead; a pong and a gap of a mobile line fit in
RELAY_SILENCE_SECONDS = 60
# seconds between two looks at all lines
RELAY_LOOK_SECONDS = 5

# --- table behind a relay ---
MAX_RELAYS = 2  # relays of one table; each is an address in its links
# guests of one relay in a burst, and per second in the long run, and as many of those that come
# rarely; a third of what a table lets in, so that no relay takes the others' part
RELAYED_ARRIVALS = (128, 32)
# control messages of one relay in a burst, and per second in the long run; above that its line is not
# read. An honest relay lets in ARRIVALS and RARE_ARRIVALS for all its tables
RELAYED_MESSAGES = (1_536, 256)
# guests of one address (of IPv6: /48) among those that come rarely, in a burst and per second in
# the long run; as RARE_ARRIVALS_PER_ADDRESS
RELAYED_RARE_PER_ADDRESS = (64, 0.5)
# lines for guests that a table opens at once; the oldest of the address with most of them gives way
MAX_RELAY_CALLS = 32
# seconds for a line to the relay, and for its answer that the channel is open
RELAY_CALL_SECONDS = 10
# seconds between two pings on the line by which a table has its channel, and for the answer; a
# table that lost its relay is out of reach
RELAY_LIFE_SECONDS = 10
# seconds before a lost relay is called again, at first and at most; a relay restarts in seconds
RELAY_RETRY_SECONDS = 1
RELAY_RETRY_LONGEST_SECONDS = 60
# seconds before a table calls a relay again at which another program with its key has taken over;
# the two do not push each other out all the time
RELAY_TAKEN_OVER_SECONDS = 300
