"""Every command, and its errors, are in the requested language."""

import os
from contextlib import suppress

import pytest

from fairdeal.__main__ import main

LINK = "fairdeal://example.org:7500"


@pytest.fixture
def english(monkeypatch):
    """Restore the environment after the test."""
    monkeypatch.setenv("LANGUAGE", "en")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play"], "Domino ohne Ziehen: Wer nicht anlegen kann, passt; 2 bis 4 Spieler"),
        (["play", "draw-dominoes", "--bots", "10"], "Es gibt höchstens 9 Bots."),
        (
            ["play", "draw-dominoes", "--option", "highest=7"],
            "`highest` muss 6 oder 9 sein, nicht 7.",
        ),
        (["host", "--listen", "1:2:3"], "Setze eine IPv6-Adresse in eckige Klammern."),
        (
            ["host", "--game", "chess"],
            "Es gibt kein Spiel chess. Wähle block-dominoes, draw-dominoes, ",
        ),
        (["join", LINK, "--list", "--create"], "--list und --create passen nicht zusammen."),
        (["join", "example.org"], "Der Link eines Tisches sieht aus wie "),
        (["join", LINK, "--game-plugin", "nim"], "Es gibt kein Spiele-Plug-in mit dem Namen nim."),
        (["contacts"], "Du hast noch mit niemandem gespielt."),
        (["mail", "status"], "Es gibt keine Partie per Mail."),
        (["mail", "move", "1"], "Es gibt keine solche Partie."),
        (["audit", "nothing.fairdeal"], "Es gibt keine Datei nothing.fairdeal."),
        (["compare", "nothing.fairdeal", "."], "Es gibt keine Datei nothing.fairdeal."),
        (["show", "."], ". ist ein Ordner."),
    ],
)
def test_command_reports_errors_in_german(words, said, english, tmp_path, capsys):
    data = ["--data", str(tmp_path)] if words[0] in ("contacts", "join", "mail") else []
    with suppress(SystemExit):
        main([*words, *data, "--lang", "de"])
    told = capsys.readouterr()
    assert said in told.out + told.err
    assert os.environ["LANGUAGE"] == "de"  # for the programs that it starts


def test_unknown_language_is_refused(english, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["contacts", "--lang", "klingon"])
    assert ended.value.code == 2 and "klingon" in capsys.readouterr().err
    assert os.environ["LANGUAGE"] == "en"
