"""Cheats in verified dealing: each is named at once by its own entry, unless a hand hides it."""

from tests.adversary.cheats.verified import keys, openings, poker, refused, shares, shuffles

CHEATS = [
    *keys.KEYS,
    *shuffles.SHUFFLES,
    *shares.SHARES,
    *openings.OPENINGS,
    *openings.SHOWS,
    *refused.REFUSED,
    *refused.SILENT,
    *poker.CHEATS,
]
