"""The tables of a store in a database, and each call of `table.storage.shared.backend.StoreBackend` as one statement.

`ends` has the number of the newest item of each subject: an append moves it, and only from the
number that it names, so of two only one finds it there. That one row is what orders them; locks and
sessions fence nothing.
"""

SCHEMA = """
CREATE TABLE IF NOT EXISTS fairdeal_ends (subject text PRIMARY KEY, number bigint NOT NULL);
CREATE TABLE IF NOT EXISTS fairdeal_items (
    subject text NOT NULL, number bigint NOT NULL, data bytea NOT NULL, PRIMARY KEY (subject, number)
);
CREATE INDEX IF NOT EXISTS fairdeal_names ON fairdeal_ends (subject COLLATE "C");
CREATE UNLOGGED TABLE IF NOT EXISTS fairdeal_beats (host text PRIMARY KEY, number bigint NOT NULL, data bytea NOT NULL)
"""
BEGIN = """
WITH moved AS (
    INSERT INTO fairdeal_ends VALUES (%(subject)s, 1) ON CONFLICT DO NOTHING RETURNING number
)
INSERT INTO fairdeal_items SELECT %(subject)s, number, %(data)s FROM moved RETURNING number
"""
APPEND = """
WITH moved AS (
    UPDATE fairdeal_ends SET number = number + 1 WHERE subject = %(subject)s AND number = %(after)s RETURNING number
)
INSERT INTO fairdeal_items SELECT %(subject)s, number, %(data)s FROM moved RETURNING number
"""
NEXT = (
    "SELECT number, data FROM fairdeal_items WHERE subject = %s AND number > %s ORDER BY number "
    "LIMIT 1"
)
LAST = "SELECT number, data FROM fairdeal_items WHERE subject = %s ORDER BY number DESC LIMIT 1"
# subjects between a prefix and what follows all subjects with it. By bytes (collation C), so that an
# index finds them: a store has subjects of all matches that ever were
NAMES = """
SELECT subject FROM fairdeal_ends WHERE subject COLLATE "C" >= %s AND subject COLLATE "C" < %s
ORDER BY subject COLLATE "C"
"""
ERASE = """
WITH gone AS (DELETE FROM fairdeal_items WHERE subject = %(subject)s)
DELETE FROM fairdeal_ends WHERE subject = %(subject)s
"""
BEAT = """
INSERT INTO fairdeal_ends VALUES (%s, 1) ON CONFLICT (subject) DO UPDATE SET number = fairdeal_ends.number + 1
RETURNING number
"""
ANNOUNCE = """
INSERT INTO fairdeal_beats VALUES (%(host)s, 1, %(data)s)
ON CONFLICT (host) DO UPDATE SET number = fairdeal_beats.number + 1, data = %(data)s
"""
HEAR = "SELECT host, number, data FROM fairdeal_beats"
SETTINGS = """
SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
    current_setting('synchronous_standby_names') <> '', pg_is_in_recovery(),
    CASE WHEN pg_is_in_recovery() THEN '0' ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END
"""  # the first letters of a log file's name are its timeline, which is more recent than what the control file has
