"""Where the operations of a contract are, however its author wrote the address."""

import pytest

from conformance.relative_paths import base_path


@pytest.mark.parametrize(
    ("server", "path"),
    [
        ({"url": "/api/v1"}, "/api/v1"),
        ({"url": "https://acme.example/log/api/v1/"}, "/log/api/v1"),
        (
            {
                "url": "{site}/api/{version}",
                "variables": {
                    "site": {"default": "https://acme.example/log"},
                    "version": {"default": "v1", "enum": ["v1", "v2"]},
                },
            },
            "/log/api/v1",
        ),
    ],
)
def test_the_base_path_is_that_of_the_first_server_with_its_defaults(server, path):
    assert base_path({"servers": [server, {"url": "/other"}]}) == path
