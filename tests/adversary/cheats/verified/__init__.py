"""Cheats at verified dealing: all but what a hand hides are named at once, in the very entry."""

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
