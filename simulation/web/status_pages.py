"""Status pages: accepted, in progress, failed, refused; each also as data."""

from typing import Any, NamedTuple
from xml.etree.ElementTree import Element  # only built, never parsed

from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say
from simulation.pages.markup import link, made, page, sentence
from simulation.report.number_format import json_of
from simulation.report.sections import title_of
from simulation.web.form import SIMULATIONS
from simulation.web.job_queue import SimulationJob


class WebAnswer(NamedTuple):
    """Content of an answer in both forms."""

    data: dict[str, Any]
    page: bytes


def where(name: str) -> str:
    """Path of a simulation."""
    return f"{SIMULATIONS}/{name}"


def accepted_page(name: str, language: str, say: Say) -> WebAnswer:
    """Say that a simulation waits, and where its result will be."""
    body = (
        sentence(say, phrase("simulate.begun.about")),
        link(say, "simulate.begun.link", where(name)),
    )
    return WebAnswer({"link": where(name)}, page(phrase("simulate.begun"), language, say, *body))


def progress_page(simulation: SimulationJob, before: int, language: str, say: Say) -> WebAnswer:
    """Say how far a simulation is."""
    rounds = simulation.task.rounds
    task = simulation.task
    if not simulation.begun:
        told = sentence(say, phrase("simulate.waiting", count=before))
        data: dict[str, Any] = {"state": "waiting", "before": before}
        return WebAnswer(
            data, page(phrase("simulate.in_progress"), language, say, told, _again(say))
        )
    done = phrase("simulate.running", done=f"{simulation.done:,}", rounds=f"{rounds:,}")
    bar = made(
        "progress", say(done), value=str(simulation.done), max=str(rounds), aria_label=say(done)
    )
    body = (sentence(say, title_of(task)), bar, sentence(say, done), _again(say))
    data = {"state": "running", "done": simulation.done, "rounds": rounds}
    return WebAnswer(data, page(phrase("simulate.in_progress"), language, say, *body))


def _again(say: Say) -> Any:
    """Link to look again, also for a page that no longer reloads by itself."""
    return made(
        "p",
        say(phrase("simulate.again")),
        " ",
        made("a", say(phrase("simulate.again.link")), href="?"),
        " · ",
        made("a", say(phrase("simulate.again.still")), href="?still"),
    )


def failed_page(why: Phrase, language: str, say: Say) -> WebAnswer:
    """Say that a simulation has failed."""
    body = (sentence(say, why, class_="wrong", role="alert"), link(say, "simulate.back", "/"))
    return WebAnswer(
        {"state": "failed", "error": say(why)},
        page(phrase("simulate.no_result"), language, say, *body),
    )


def refused_page(why: Phrase, language: str, say: Say, again: Element | None = None) -> WebAnswer:
    """Say that a request is refused; `again` is its form with the given values."""
    body = (
        sentence(say, why, class_="wrong", role="alert"),
        again,
        link(say, "simulate.back", "/"),
    )
    return WebAnswer({"error": say(why)}, page(phrase("simulate.refused"), language, say, *body))


def as_json(answer: WebAnswer) -> bytes:
    """Encode the data."""
    return json_of(answer.data).encode()
