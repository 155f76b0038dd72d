"""Requests that wait for changes, and the server they wait at (docs/decisions/0041)."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from connexion_passages import observed_servers
from specimen.serving import serve
from specimen.site import make_site, the_time

pytestmark = pytest.mark.slow


def test_a_server_that_is_stopped_answers_who_waits_at_once(tmp_path):
    site = make_site(tmp_path, now=the_time())
    with ThreadPoolExecutor(1) as pool:
        with observed_servers(tmp_path) as observed, serve(site.url, tmp_path, observed) as url:
            client = httpx2.Client(
                base_url=f"{url}/api/v1", headers={"X-Api-Key": site.keys["all"]}, timeout=40
            )
            end = client.get("/changes", params={"after": "now"}).json()["next"]
            waiting = pool.submit(client.get, "/changes", params={"after": end, "wait": 25})
            time.sleep(1)
            assert not waiting.done()
            began = time.monotonic()
        seconds = time.monotonic() - began
        response = waiting.result()

    assert (response.status_code, response.json()["next"]) == (200, end)
    assert seconds < 7, "the server kills its processes after 8 seconds"
