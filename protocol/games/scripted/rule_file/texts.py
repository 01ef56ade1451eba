"""Check of all texts for people in a rule file, for its author."""

from collections.abc import Iterable

from protocol.games.scripted.rule_file.contract import RuleContract
from protocol.games.scripted.rule_file.help_text import HELP, read_help
from protocol.games.scripted.rule_file.sentences import read_sentences
from protocol.games.scripted.rule_file.template import match_pattern
from protocol.rules import RuleError
from protocol.view.phrase import Phrase, phrase


def check_texts(contract: RuleContract) -> Phrase:
    """Check help text and sentences, and say in which languages they are. Raises: RuleError."""
    help_languages = [language for language, _ in read_help(contract)]
    languages = [texts.language for texts in read_sentences(contract)]
    both = bool(help_languages and languages)
    names = {"help": _listed(help_languages), "sentences": _listed(languages)}
    if both and set(help_languages) != set(languages):
        raise RuleError(*contract.module.place(HELP), "script.texts.languages", **names)
    return phrase("script.texts", **names)


def unsaid(contract: RuleContract, said: Iterable[str]) -> tuple[Phrase, ...]:
    """List what the rules have said without a sentence for it in some language. A file without any
    sentences has none to miss.
    """
    return tuple(
        phrase("script.texts.unsaid", text=text, language=texts.language)
        for text in sorted(set(said))
        for texts in read_sentences(contract)
        if not any(match_pattern(pattern, text) is not None for pattern, _ in texts.said)
    )


def _listed(languages: list[str]) -> str | Phrase:
    return ", ".join(languages) if languages else phrase("script.texts.none")
