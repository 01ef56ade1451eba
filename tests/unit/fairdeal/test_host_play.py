"""What `fairdeal host --play` says to a host before anything else."""

import pytest

from protocol.i18n import load_translator
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer


@pytest.mark.parametrize(
    ("language", "said"), [("en", "not even your own table"), ("de", "auch dein eigener Tisch")]
)
def test_host_reads_in_plain_words_how_hands_are_dealt(language: str, said: str):
    say = phrase_renderer(load_translator(language), ())
    told = say(phrase("host.play.verified", usual="layered"))
    assert said in told and told.endswith("--deal layered")
    assert "verified" not in told and "`" not in told
