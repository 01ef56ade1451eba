"""Limits of a directory of tables, and of whoever reads its list, with their units and reasons."""

# --- reports and lists ---
# bytes of a table's report with its signature; a long address and eight games fit
MAX_TABLE_REPORT = 512
MAX_REPORT_GAMES = 8  # games in a report; a table that offers more is found by these
MAX_REPORT_GAME = 32  # characters of a game's name; longer than any that is registered
MAX_REPORT_SEATS = 1_000_000  # seats taken, or free, in a report; no host has more
# seconds for which a report counts; three reports may get lost before a table that runs disappears
REPORT_LIFE_SECONDS = 900
# seconds between two reports of a table; its numbers of seats change as often on the list
REPORT_SECONDS = 300
# seconds by which a table's clock may be ahead of the directory's
REPORT_CLOCK_SECONDS = 120
# tables in a list; some 170 bytes each, and read in 0.1 s
MAX_DIRECTORY_TABLES = 16_384
MAX_DIRECTORY_LIST = MAX_TABLE_REPORT * MAX_DIRECTORY_TABLES + 1_024  # bytes of a list's file
# seconds for which a list counts; as long as the youngest report in it
LIST_LIFE_SECONDS = REPORT_LIFE_SECONDS
# seconds by which the clocks of a directory and of a reader may differ; clocks at home are set by hand
LIST_CLOCK_SECONDS = 3600
# seconds between two lists; whoever looks sees a new table in this time. A list of
# MAX_DIRECTORY_TABLES takes 50 ms
LIST_SECONDS = 10
# seconds after which a list is made anew although nothing has changed; a third of its life
LIST_RENEWAL_SECONDS = 300

# --- directory ---
DIRECTORY_NONCE = 32  # random bytes for one connection; they cannot be guessed
# bytes of a message between a table and a directory; a report and two signatures
MAX_DIRECTORY_MESSAGE = 1_024
# seconds for a whole report, with its connection; a call takes two round trips
DIRECTORY_SECONDS = 10
# connections of tables at once, each for two round trips
MAX_DIRECTORY_CONNECTIONS = 256
# tables of one address (of IPv6: /48) in the list; a club behind one router
MAX_LISTED_PER_ADDRESS = 16
# reports of one address in a burst, and per second in the long run; MAX_LISTED_PER_ADDRESS tables
# that start at once, and then report every REPORT_SECONDS, half as often again
REPORTS_PER_ADDRESS = (32, 0.08)
# reports of addresses that have no table in the list, in a burst, and per second; each costs 0.14 ms,
# and MAX_DIRECTORY_TABLES tables bring 55 a second
REPORTS_IN_ALL = (256, 100)
MAX_DIRECTORY_RELAYS = 16  # relays whose guest addresses a directory lists; its host names them

# --- table that reports itself ---
MAX_DIRECTORIES = 4  # directories to which a table reports
# seconds before a table tries again after a failure: first, and longest
REPORT_RETRY_SECONDS = 15
REPORT_RETRY_LONGEST_SECONDS = 1_800
# seconds that a directory may ask a table to wait at most; what it says beyond is ignored
MAX_REPORT_WAIT = 3_600

# --- whoever reads a list ---
TABLES_SHOWN = 20  # rows of the first page; a terminal has 24 lines
MAX_TABLES_SHOWN = 200  # rows at once; the signature of each is checked, a tenth of a millisecond
MAX_DIRECTORY_LINK = 600  # characters of a link to a list
MAX_DIRECTORIES_SEEN = 1_000  # directories whose newest number is stored; the oldest go first
# tables drawn by lot that turn out to be invalid or not callable, after which others are drawn
MAX_SEAT_TRIES = 32
LIST_FETCH_SECONDS = 60  # seconds for the whole list; 8 MiB over a slow mobile line
MAX_OWN_DIRECTORIES = 32  # directories on the page of one person; as many fit on two screens
