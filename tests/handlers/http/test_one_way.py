"""Every request to the API goes through Connexion; ``connexion_passages`` holds it in all tests."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openapi.contract import load_operations

PATHS = [f"/api/v1{operation.path}" for operation in load_operations()]
NAMES = [parameter.name for operation in load_operations() for parameter in operation.parameters]
QUERIES = st.lists(
    st.tuples(st.sampled_from([*NAMES, "nothing"]), st.sampled_from(["1", "", "a.b", "-1", "é"])),
    max_size=3,
)


def test_a_poller_meets_all_of_connexion(client, new_key, publish, passages):
    key = new_key()
    targets = ["/api/v1/sources", "/api/v1/latest", "/api/v1/important", "/api/v1/latest?limit=0"]
    for target in [*targets, "/api/v1/entries?sources=acme.mail", "/api/v1/nothing"]:
        for headers in ({}, key, {"X-Api-Key": "x"}):
            tag = client.get(target, headers=headers).headers.get("ETag", '"-"')
            client.get(target, headers={**headers, "If-None-Match": tag})
            client.head(target, headers=headers)
            client.delete(target, headers=headers)
            client.options(target, headers=headers)

    routed = [passage for passage in passages if passage.operation is not None]
    statuses = Counter(passage.status for passage in passages)

    assert len(passages) == 6 * 3 * 5
    assert all(passage.routed for passage in passages)
    assert {each.status for each in routed if each.request_validated} == {200, 304, 400}
    assert statuses[304] == 7
    assert {200, 204, 304, 400, 401, 404, 405} <= statuses.keys()


def test_a_request_that_goes_around_is_seen(client, passages, monkeypatch):
    monkeypatch.setattr(
        "handlers.http.validators.ResponseValidator.wrap_send", lambda _, send: send
    )
    client.get("/api/v1/latest")

    assert [passage.goes_around for passage in passages] == [True]
    passages.clear()


@pytest.mark.usefixtures("catalog")
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    method=st.sampled_from(["GET", "HEAD", "POST", "OPTIONS", "PUT", "TRACE", "X"]),
    path=st.sampled_from([*PATHS, "/api/v1", "/api/v1//sources", "/api/v1/sources/", "/api/v1/é"]),
    query=QUERIES,
    headers=st.dictionaries(
        st.sampled_from(["X-Api-Key", "Authorization", "Cookie", "If-None-Match", "Content-Type"]),
        st.sampled_from(["x", "", "*", "Bearer x", "__Host-session=x", "application/json"]),
        max_size=3,
    ),
    body=st.sampled_from([b"", b"{}", b"\xff", b'{"url": "https://acme.example/"}']),
)
def test_whatever_is_sent_goes_through_it(client, passages, method, path, query, headers, body):
    response = client.request(method, path, params=query, headers=headers, content=body)

    assert response.status_code < 500
    assert not passages[-1].goes_around
