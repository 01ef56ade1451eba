"""Signed rule sets: what the first line of a file signs, and every lie that it could tell."""

from base64 import b64encode
from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.games.scripted.rule_file.rule_set import (
    MARK,
    read_rule_set,
    sign_rule_set,
    unsigned_text,
)
from protocol.i18n import english
from protocol.ledger.record_contents import CardRules
from protocol.ledger.records import sign_record
from protocol.limits import MAX_NAME, MAX_RULE_FILE, MAX_RULE_SET_ABOUT
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer, strip_isolates
from tests.support.ledger import ANN, EVE, TYPE

BODY = "# for long evenings\n#  with tea\n\n" + built_in_text("crazy-eights")
FIRST = sign_rule_set(ANN, "evening", BODY)


def signed_by_hand(content: object, body: str = BODY, by=ANN) -> str:
    return f"{MARK}{b64encode(sign_record(content, by).raw).decode()}\n{body}"


def fault_of(text: str) -> Code:
    with pytest.raises(RemoteError) as caught:
        read_rule_set(text)
    return caught.value.code


def test_signed_file_says_who_what_and_which_number():
    second = sign_rule_set(ANN, "evening", BODY + "# more\n", FIRST)
    assert (FIRST.author, FIRST.name, FIRST.number) == (ANN.public, "evening", 1)
    assert (second.number, second.header.previous) == (2, FIRST.id)
    assert second.digest == rule_digest(second.text) != FIRST.digest
    assert FIRST.about == "for long evenings with tea"
    assert read_rule_set(FIRST.text) == FIRST


def test_signed_file_plays_as_its_unsigned_text():
    signed, plain = parse_contract(FIRST.text), parse_contract(unsigned_text(FIRST.text))
    assert unsigned_text(FIRST.text) == unsigned_text(BODY) == BODY
    assert (signed.name, signed.cards, signed.kinds) == (plain.name, plain.cards, plain.kinds)


def test_one_changed_letter_of_the_text_is_noticed():
    assert fault_of(FIRST.text.replace("tea", "sea")) is Code.BAD_CONTENT


def test_signature_of_another_author_is_noticed():
    said = sign_record(FIRST.header, ANN).raw
    # Eve signs a content of her own, and puts her signature below Ann's
    signature = sign_record(replace(FIRST.header, creator=EVE.public), EVE).raw[-64:]
    stolen = b64encode(said[:-64] + signature).decode()
    assert fault_of(f"{MARK}{stolen}\n{BODY}") is Code.BAD_SIGNATURE


@pytest.mark.parametrize(
    "changes",
    [
        {"text": digest("rule file", b"something else")},
        {"name": "n" * (MAX_NAME + 1)},
        {"language": 3},
        {"required": (("strength", 0),)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_header_that_does_not_fit_is_refused(changes):
    assert fault_of(signed_by_hand(replace(FIRST.header, **changes))) is Code.BAD_CONTENT


def test_other_records_and_words_sign_nothing():
    assert fault_of(f"{MARK}{b64encode(TYPE.raw[:300]).decode()}\n{BODY}") is not None
    assert fault_of(f"# signed by {ANN.public.hex()}\n{BODY}") is Code.BAD_CONTENT
    assert fault_of(BODY) is Code.BAD_CONTENT
    assert fault_of(FIRST.text.partition("\n")[0]) is Code.BAD_CONTENT


def test_signature_has_one_spelling():
    line, _, body = FIRST.text.partition("\n")
    for other in (line + " ", line.rstrip("=") + "\r", line.replace("# signed: ", "# signed:  ")):
        with pytest.raises(RemoteError):
            read_rule_set(f"{other}\n{body}")
    assert fault_of(f"{MARK}{'A' * 100_000}\n{body}") is Code.BAD_CONTENT
    assert fault_of(f"{MARK}{'A' * 1_000}\n{body}") is Code.BAD_ENCODING


def test_signed_file_in_a_signed_file_is_refused():
    with pytest.raises(RemoteError):
        sign_rule_set(EVE, "evening", FIRST.text)


def test_signed_file_has_the_bound_of_rule_files():
    fits = MAX_RULE_FILE - len(FIRST.text.partition("\n")[0]) - 1
    line = "#" + "x" * (fits - 2) + "\n"
    assert len(sign_rule_set(ANN, "evening", line).text) == MAX_RULE_FILE
    with pytest.raises(RemoteError):
        sign_rule_set(ANN, "evening", line + "#")
    with pytest.raises(RemoteError):
        sign_rule_set(ANN, "evening", "#" + "\u2665" * (fits // 3) + "\n")


def test_about_is_bounded_and_ends_with_the_comment():
    many = sign_rule_set(ANN, "evening", "# la\n" * 400 + "RULES = {}\n# no more\n")
    assert len(many.about) <= MAX_RULE_SET_ABOUT and "no more" not in many.about
    assert sign_rule_set(ANN, "evening", "RULES = {}\n").about == ""


def test_words_of_a_stranger_steer_no_terminal():
    said = sign_rule_set(ANN, "evening", "# a\x1b[2J \u202eb\n").about
    renders = phrase_renderer(english, ())(phrase("rule_set.about", text=said))
    assert strip_isolates(renders).isprintable() and "\x1b" in said
    with pytest.raises(RemoteError):
        sign_rule_set(ANN, "even\x1b[2Jing", BODY)


def test_surrogates_are_refused_without_another_error():
    with pytest.raises(RemoteError):
        sign_rule_set(ANN, "evening", "# \udcff\n")
    assert fault_of(FIRST.text + "# \udcff\n") is not None


def test_revision_needs_the_record_before():
    with pytest.raises(RemoteError):
        signed_by_hand(CardRules(ANN.public, 1, None, "evening", 4, FIRST.header.text, ()))
