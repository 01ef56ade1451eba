"""Silence on a line is counted while this program runs, and from the newest byte on."""

from protocol.session.silence import Silence

INTERVAL = 2.0  # seconds between two looks


def test_silence_adds_up_from_look_to_look():
    silence = Silence(10.0, INTERVAL)
    assert [silence.look(12.0 + 2 * number, heard=9.0) for number in range(3)] == [2.0, 4.0, 6.0]


def test_silence_begins_anew_after_a_byte():
    silence = Silence(10.0, INTERVAL)
    silence.look(12.0, heard=9.0)
    assert silence.look(14.0, heard=12.1) == 0.0  # and not two seconds too early
    assert silence.look(16.0, heard=12.1) == 2.0


def test_silence_ignores_own_standstill():
    silence = Silence(10.0, INTERVAL)
    silence.look(12.0, heard=9.0)
    assert silence.look(3600.0, heard=9.0) == 4.0
