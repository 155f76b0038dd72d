"""Announcements that nothing is learnt from: most of what matters in them is found."""

from importance.unread import judged

ANNOUNCEMENTS = [each for half in judged().values() for each in half]


def test_of_ten_that_are_called_important_nine_are():
    called = [bool(each.labels) for each in ANNOUNCEMENTS if each.found]

    assert sum(called) / len(called) >= 0.9


def test_of_ten_important_ones_seven_are_found():
    important = [bool(each.found) for each in ANNOUNCEMENTS if each.labels]

    assert sum(important) / len(important) >= 0.7
