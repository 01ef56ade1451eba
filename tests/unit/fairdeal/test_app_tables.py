"""The tables of the app: which one is the person's own."""

from pathlib import Path
from random import Random

from fairdeal.app_tables import FOLDER, AppTables
from player.storage.identity_file import load_identity
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import fingerprint


def test_table_of_command_line_is_own_table(tmp_path: Path):
    tables = AppTables(BUILT_IN, (), tmp_path)
    assert tables.earlier is None
    key = load_identity(tmp_path / FOLDER, None, Random(1))
    link = tables.earlier
    assert link is not None and link.fingerprint == fingerprint(key.public)
