"""The start page: a form for each model, without scripts."""

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element  # only built, never parsed

from protocol.limits import SIMULATED_ROUNDS
from protocol.view.phrase import phrase
from protocol.view.text import Say, sanitize
from simulation.pages.markup import made, page
from simulation.task import KINDS
from simulation.task.settings import Setting, as_yes, check_yes, check_yes_list, number, whole
from simulation.task.task_parser import DECKS, MODEL, settings_of

SIMULATIONS = "/simulations"
ROUNDS = {"rounds": SIMULATED_ROUNDS, "seed": 1}


def form_page(language: str, say: Say) -> bytes:
    """Make the start page."""
    told = made("p", say(phrase("simulate.form.about")))
    forms = [model_form(kind, say, {}) for kind in KINDS]
    return page(phrase("simulate.form"), language, say, told, *forms)


def model_form(kind: str, say: Say, given: Mapping[str, str]) -> Element:
    """Make the form of a model; `given` are values that were typed before."""
    title, about = _TITLES[kind]
    rows = [_field(kind, field, say, given) for field in settings_of(kind)]
    return made(
        "form",
        made("h2", say(phrase(title))),
        made("p", say(phrase(about))),
        made("input", type="hidden", name=MODEL, value=kind),
        made("div", *rows, _decks(kind, say, given), class_="fields"),
        made("button", say(phrase("simulate.form.begin")), type="submit"),
        method="post",
        action=SIMULATIONS,
        aria_label=say(phrase(title)),
    )


def _field(kind: str, field: Setting, say: Say, given: Mapping[str, str]) -> Element:
    name = f"{kind}-{field.name}"
    label = made("label", say(phrase(field.about)), for_=name)
    if field.check is check_yes:
        return made("div", label, _choice(kind, field, say, given))
    hint = made("p", _hint(field, say), class_="hint", id=f"{name}-hint")
    named = {"id": name, "name": field.name, "aria_describedby": f"{name}-hint"}
    return made(
        "div", label, made("input", **named, **_kind(field), **_value(kind, field, given)), hint
    )


def _choice(kind: str, field: Setting, say: Say, given: Mapping[str, str]) -> Element:
    """Make a choice of yes and no, with the given value or the default."""
    chosen = as_yes(given.get(field.name, "yes" if _usual(kind, field.name) else "no")) is True
    options = ((False, "no", phrase("simulate.no")), (True, "yes", phrase("simulate.yes")))
    made_ = [
        made(
            "option",
            say(word),
            value=value,
            **({"selected": "selected"} if which is chosen else {}),
        )
        for which, value, word in options
    ]
    return made("select", *made_, id=f"{kind}-{field.name}", name=field.name)


def _kind(field: Setting) -> dict[str, str]:
    """Attributes for the kind of an input."""
    if field.check in (whole, number):
        step = "1" if field.check is whole else "any"
        return {"type": "number", "step": step, "min": f"{field.least:g}", "max": str(field.most)}
    return {"type": "text", "autocomplete": "off"}


def _value(kind: str, field: Setting, given: Mapping[str, str]) -> dict[str, str]:
    """Attributes for the value of an input: the given value, else the default if that is one
    number.
    """
    if given:
        return {"value": given.get(field.name, "")}
    if field.check in (whole, number):
        return {"value": str(_usual(kind, field.name))}
    return {}


def _usual(kind: str, name: str) -> Any:
    usual = ROUNDS.get(name, getattr(KINDS[kind](), name, ""))
    return f"{usual:g}" if isinstance(usual, float) else usual


def _hint(field: Setting, say: Say) -> str:
    ends = {"least": f"{field.least:,}", "most": f"{field.most:,}"}
    if field.check in (whole, number):
        return say(phrase("simulate.form.range", **ends))
    if field.name == "names":
        return say(phrase("simulate.form.names"))
    if field.check is check_yes_list:
        return say(phrase("simulate.form.each_yes"))
    return say(phrase("simulate.form.each", **ends))


def _decks(kind: str, say: Say, given: Mapping[str, str]) -> Element:
    name = f"{kind}-{DECKS}"
    area = made("textarea", id=name, name=DECKS, rows="3", aria_describedby=f"{name}-hint")
    area.text = "\n".join(map(sanitize, given.get(DECKS, "").splitlines()))
    return made(
        "div",
        made("label", say(phrase("simulate.field.decks")), for_=name),
        area,
        made("p", say(phrase("simulate.form.decks")), class_="hint", id=f"{name}-hint"),
        class_="whole",
    )


_TITLES = {
    "table": ("simulate.form.table", "simulate.form.table.about"),
    "machines": ("simulate.form.machines", "simulate.form.machines.about"),
}
