"""The catalog of protocols, and the values of the game's option `protocol`."""

from protocol.games.intruder_spec import OWN_PROTOCOL, PROTOCOLS, SPECS
from verification.protocols.catalog import BUILT_IN_PROTOCOLS


def test_catalog_has_the_protocols_of_the_game_option():
    assert tuple(BUILT_IN_PROTOCOLS) == PROTOCOLS
    option = next(option for option in SPECS[0].options if option.name == "protocol")
    assert option.choices == (*BUILT_IN_PROTOCOLS, OWN_PROTOCOL)
