"""The rules of pace and health over three months of a small invented world."""

import pytest
from simulation.changewire import ChangewirePolicy
from simulation.engine import Simulation
from simulation.others import Optimum
from simulation.world import DAY, Publisher, hosts

pytestmark = pytest.mark.slow

DAYS = 90
SOURCES = 120


def followed(policy, *publishers, days=DAYS):
    return Simulation(policy, days=days, seed=3).run([list(publishers)])


def published(gap):
    return tuple(at * gap * DAY for at in range(-int(180 / gap), int(DAYS / gap)))


def publisher(**changes):
    settings = {
        "slug": "acme.widgets",
        "host": "acme.example",
        "kind": "feed",
        "published": tuple(at * DAY for at in range(-180, DAYS, 3)),
        "window": 20,
        "validators": True,
        "fresh_for": None,
        "glitches": 0.0,
    }
    return Publisher(**settings | changes)


def test_in_three_months_no_source_is_given_up_no_entry_missed_and_no_retry_after_ignored():
    world = hosts(SOURCES, days=DAYS, seed=3)

    tally = Simulation(ChangewirePolicy(), days=DAYS, seed=3).run(world)

    assert (tally.inside_retry_after, tally.dead, tally.late) == (0, 0, 0)


@pytest.mark.parametrize("a_day", [2.0, 24.0])
def test_the_requests_of_a_world_without_failures_are_those_of_the_budget(a_day):
    world = [publisher(slug=f"acme.p{number}") for number in range(20)]

    tally = followed(ChangewirePolicy(world, a_day=a_day), *world)

    assert tally.requests / len(world) / (DAYS - 7) == pytest.approx(a_day, rel=0.1)


def test_no_schedule_beats_the_one_that_knows_all_rates():
    world = [
        publisher(slug=f"acme.p{gap}", published=published(gap), rate=1 / gap)
        for gap in (0.7, 2, 5, 11, 23, 47)
    ]
    optimum, ours = followed(Optimum(world), *world), followed(ChangewirePolicy(world), *world)

    spent = sum(ours.delays) / len(ours.delays) * ours.requests
    assert spent >= 0.8 * sum(optimum.delays) / len(optimum.delays) * optimum.requests
