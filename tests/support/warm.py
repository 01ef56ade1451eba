"""Imports that programs make at their first message, first game or first key, made once before
programs are forked.

Modules that games and dealings import when first played are left out. A program with a defect must
still import those after its patch.
"""

from cryptography.hazmat.backends.openssl import backend as backend

from protocol.games.registry import ALL
from protocol.i18n import load_translator

load_translator()
VERSIONS = [row.version for row in ALL]
