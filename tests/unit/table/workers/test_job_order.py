"""The order in which jobs of matches are folded."""

from collections import Counter
from itertools import repeat

from table.workers.job_order import JobOrder


class Flow:
    def __init__(self, name: str = "") -> None:
        self.name, self.finish = name, 0.0


class Job:
    def __init__(self, address: Flow, match: Flow, seconds: float) -> None:
        self.flows, self.seconds = (address, match), seconds


def served(order: JobOrder, jobs: list[Job], seconds: float) -> Counter[str]:
    """Return the seconds of each address, if all of them always have more to be done."""
    found: Counter[str] = Counter()
    while found.total() < seconds:
        job = order.first(jobs, lambda job: job.flows)
        order.charge(job.flows, job.seconds)
        found[job.flows[0].name] += job.seconds
    return found


def test_addresses_get_equal_time():
    eve, ann = Flow("Eve"), Flow("Ann")
    found = served(JobOrder(), [Job(eve, Flow(), 0.1), Job(ann, Flow(), 0.001)], 10)
    assert abs(found["Eve"] - found["Ann"]) <= 0.2


def test_many_matches_of_one_address_count_as_one():
    eve, ann = Flow("Eve"), Flow("Ann")
    jobs = [Job(eve, Flow(), 0.1) for _ in range(30)]
    found = served(JobOrder(), [*jobs, Job(ann, Flow(), 0.1)], 20)
    assert abs(found["Eve"] - found["Ann"]) <= 0.2


def test_matches_of_one_address_get_equal_time():
    eve, matches = Flow("Eve"), [Flow("dear"), Flow("cheap")]
    order = JobOrder()
    jobs = [Job(eve, matches[0], 0.1), Job(eve, matches[1], 0.001)]
    served(order, jobs, 10)
    assert abs(matches[0].finish - matches[1].finish) <= 0.2


def test_newcomer_waits_for_one_entry_at_most():
    order, eve = JobOrder(), Flow("Eve")
    jobs = [Job(eve, Flow(), 0.1) for _ in range(10)]
    served(order, jobs, 5)
    ann = Job(Flow("Ann"), Flow(), 0.001)
    assert order.first([*jobs, ann], lambda job: job.flows) is ann


def test_idle_time_is_not_saved_up():
    order, eve, ann = JobOrder(), Flow("Eve"), Flow("Ann")
    job = Job(eve, Flow(), 0.1)
    for _ in repeat(None, 100):
        order.charge(job.flows, job.seconds)
    found = served(order, [job, Job(ann, Flow(), 0.1)], 2)
    assert found["Eve"] >= 0.9


def test_match_without_address_is_its_own_flow():
    order, match = JobOrder(), Flow()
    order.charge((match, match), 2.0)
    assert match.finish == 2.0
