"""How hosts are shared out among the workers on PostgreSQL, and what comes after a dead worker."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.workers.shared_queue import BATCH, batches_of
from openapi.vocabulary import Tier
from storage.scheduling.due import DueSource


def due(*hosts):
    """Sources of the hosts in this order, the longest due first."""
    return [
        DueSource(number, f"s{number}", host, None, None, Tier.PRODUCT)
        for number, host in enumerate(hosts)
    ]


@pytest.mark.parametrize(
    ("hosts", "batches"),
    [
        ([], []),
        (["a"], [["a"]]),
        (["a", "b", "a"], [["a", "b"]]),
        (["a"] * (BATCH - 1) + ["b"] + ["c"], [["a", "b"], ["c"]]),
        (["a"] * (BATCH + 1) + ["b"], [["a"], ["b"]]),
        (["a"] + ["b"] * BATCH, [["a"], ["b"]]),
    ],
)
def test_hosts_are_packed_until_a_batch_is_full(hosts, batches):
    assert batches_of(due(*hosts), most=64) == batches


def test_what_has_been_due_the_longest_comes_first_when_there_is_little_room():
    assert batches_of(due(*["a"] * BATCH, *["b"] * BATCH, "c"), most=2) == [["a"], ["b"]]


def test_a_full_queue_takes_nothing():
    assert batches_of(due("a", "b"), most=0) == []


@given(st.lists(st.sampled_from("abcdefgh"), max_size=300), st.integers(0, 5))
def test_no_host_is_in_two_batches_and_none_is_fuller_than_its_hosts_make_it(hosts, most):
    batches = batches_of(due(*hosts), most=most)

    crowds = Counter(hosts)
    shared_out = [host for batch in batches for host in batch]
    assert len(shared_out) == len(set(shared_out))
    assert len(batches) <= most
    for batch in batches:
        assert len(batch) == 1 or sum(crowds[host] for host in batch) <= BATCH
