"""What programs load when they first speak, name a game or make a key: loaded once, before they are
forked off.

Not what games and dealings load when they are first played: tables and players with a defect find
those as broken.
"""

from cryptography.hazmat.backends.openssl import backend as backend

from protocol.games.registry import ALL
from protocol.i18n import load_translator

load_translator()
VERSIONS = [row.version for row in ALL]
