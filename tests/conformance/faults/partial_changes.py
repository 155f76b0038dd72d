"""What partial faults change, and in which responses."""

import itertools
import re
from collections.abc import Callable
from typing import Any
from zlib import crc32

from specimen.rows import MORE_PUBLISHING, PUBLISHING

from faults.fault import BASE, Asked, Fault, Reply, has_key

LISTS = ("/sources", "/entries", "/latest", "/important")
Change = Callable[[Any], Any]


def one_in(number: int, item: Any) -> bool:
    """Whether an item is one of those that have the fault: always the same ones."""
    named = item.get("entry", item)
    return crc32(str(named.get("id") or named.get("slug")).encode()) % number == 0


def rarely(name: str, number: int, change: Change, *paths: str) -> Fault:
    """A fault of one item in N of some lists, the sample left alone."""

    def answered(reply: Reply) -> None:
        page = page_of(reply, *paths)
        if page is not None and "sample" not in page:
            for position, item in enumerate(page["items"]):
                if one_in(number, item):
                    changed = change(item)
                    page["items"][position] = item if changed is None else changed
            reply.json = page

    return Fault(name, answered=answered)


def whole(name: str, change: Callable[[dict[str, Any], dict[str, str]], Any], *paths: str) -> Fault:
    """A fault of a page, made from the page and its parameters."""

    def answered(reply: Reply) -> None:
        page = page_of(reply, *paths)
        if page is not None and "sample" not in page:
            change(page, dict(reply.asked.params))
            reply.json = page

    return Fault(name, answered=answered)


def beyond(name: str, offset: int, change: Callable[[dict[str, Any]], Any], *paths: str) -> Fault:
    """A fault of the pages that begin at an offset or later."""

    def changed(page: dict[str, Any], params: dict[str, str]) -> None:
        if int(params.get("offset", "0")) >= offset:
            change(page)

    return whole(name, changed, *paths)


def asking(name: str, change: Callable[[dict[str, str]], Any], *paths: str) -> Fault:
    """A fault of how some requests of keys are read."""

    def asked(request: Asked) -> None:
        params = dict(request.params)
        if request.path in {BASE + path for path in paths} and readable(params):
            change(params)
            if params != dict(request.params):
                request.params = list(params.items())

    return Fault(name, asked=asked)


def readable(params: dict[str, str]) -> bool:
    numbers = (params.get("limit", "50"), params.get("offset", "0"))
    return all(value.isascii() and value.isdecimal() and len(value) < 7 for value in numbers)


def now_and_then(name: str, number: int, change: Callable[[Reply], Any], *paths: str) -> Fault:
    """A fault of one response in N of some lists."""
    count = itertools.count(1)

    def answered(reply: Reply) -> None:
        if page_of(reply, *paths) is not None and next(count) % number == 0:
            change(reply)

    return Fault(name, answered=answered)


def of_header(name: str, offset: int, header: str, value: str | None, *paths: str) -> Fault:
    """A fault of a header of the pages that begin at an offset or later."""

    def answered(reply: Reply) -> None:
        params = dict(reply.asked.params)
        if page_of(reply, *paths) is not None and int(params.get("offset", "0")) >= offset:
            reply.headers.pop(header, None)
            if value is not None:
                reply.headers[header] = value

    return Fault(name, answered=answered)


def page_of(reply: Reply, *paths: str) -> dict[str, Any] | None:
    right = reply.asked.path in {BASE + path for path in paths}
    return reply.json if right and reply.status == 200 and reply.body else None


def upper_slug(item: Any) -> None:
    item["slug"] = item["slug"].replace(".", " ", 1)


def cut(item: Any) -> None:
    item["title"] = item["title"][:5]


def later(item: Any) -> None:
    item["published_at"] = item["published_at"].replace("Z", "+00:00")


def other_id(count: Any) -> Change:
    def change(item: Any) -> None:
        item["id"] = f"{item['id']}-{next(count)}"

    return change


def long(item: Any) -> None:
    item["summary"] = (item.get("summary") or "") + "x" * 501


def moved(item: Any) -> None:
    for passage in item.get("importance", {}).get("evidence", []):
        passage["start"] += 1


def other_deadline(item: Any) -> None:
    for deadline in item.get("importance", {}).get("deadlines", []):
        deadline["evidence"]["text"] = "will go"


def unproven(item: Any) -> None:
    item["importance"]["evidence"] = []


def feed(item: Any) -> None:
    item["homepage"] = f"https://{item['vendor']}.example/feed.xml"


def raw_feed(item: Any) -> None:
    item["raw"] = {"link": "https://acme.example/releases.atom"}


def losing(number: int) -> Callable[[dict[str, Any], dict[str, str]], Any]:
    """Leave one item in N out of the items, not out of the total."""

    def change(page: dict[str, Any], _: dict[str, str]) -> None:
        page["items"] = [item for item in page["items"] if not one_in(number, item)]

    return change


def losing_everywhere(page: dict[str, Any], _: dict[str, str]) -> None:
    kept = [item for item in page["items"] if not one_in(11, item)]
    page["total"] -= len(page["items"]) - len(kept)
    page["items"] = kept


def swapped(page: dict[str, Any], _: dict[str, str]) -> None:
    items = page["items"]
    for position in range(len(items) - 1):
        if one_in(9, items[position]):
            items[position], items[position + 1] = items[position + 1], items[position]
            return


def twice(page: dict[str, Any], _: dict[str, str]) -> None:
    items = page["items"]
    for position in range(1, len(items)):
        if one_in(9, items[position]):
            items[position] = items[position - 1]
            return


def last_lost(page: dict[str, Any], params: dict[str, str]) -> None:
    offset = int(params.get("offset", "0"))
    if offset and offset + len(page["items"]) >= page["total"]:
        page["items"] = page["items"][:-1]


def backwards(page: dict[str, Any]) -> None:
    page["items"].reverse()


def one_less(page: dict[str, Any]) -> None:
    page["items"] = page["items"][:-1]


def nothing(page: dict[str, Any]) -> None:
    page["items"] = []


def counted(page: dict[str, Any]) -> None:
    page["total"] += 1


def every(change: Change) -> Callable[[dict[str, Any]], Any]:
    def changed(page: dict[str, Any]) -> None:
        for item in page["items"]:
            change(item)

    return changed


def failed(reply: Reply) -> None:
    message = "Something went wrong."
    reply.status = 500
    reply.json = {"error": message, "code": "internal_error", "message": message}


def shorter(reply: Reply) -> None:
    page = reply.json
    if len(page["items"]) > 1:
        reply.json = {**page, "items": page["items"][:-1]}


def untotalled(reply: Reply) -> None:
    reply.json = {**reply.json, "total": 0}


def stale(reply: Reply) -> None:
    reply.headers["etag"] = '"0"'


def public(reply: Reply) -> None:
    if has_key(reply.asked):
        reply.headers["cache-control"] = "public, max-age=60"


def shifted(offset: int, by: int) -> Callable[[dict[str, str]], Any]:
    def change(params: dict[str, str]) -> None:
        if int(params.get("offset", "0")) >= offset:
            params["offset"] = str(max(0, int(params["offset"]) + by))

    return change


def clamped(most: int) -> Callable[[dict[str, str]], Any]:
    def change(params: dict[str, str]) -> None:
        if int(params.get("limit", "50")) > most and int(params["limit"]) <= 100:
            params["limit"] = str(most)

    return change


def aligned(params: dict[str, str]) -> None:
    limit = int(params.get("limit", "50")) or 1
    offset = int(params.get("offset", "0"))
    params["offset"] = str(offset - offset % limit)


def even(params: dict[str, str]) -> None:
    params["offset"] = str(int(params.get("offset", "0")) // 2 * 2)


def forgetting(name: str, offset: int) -> Callable[[dict[str, str]], Any]:
    def change(params: dict[str, str]) -> None:
        if int(params.get("offset", "0")) >= offset:
            params.pop(name, None)

    return change


def first_two(params: dict[str, str]) -> None:
    params["sources"] = ",".join(params.get("sources", "").split(",")[:2])


def unfiltered(name: str, value: str) -> Callable[[dict[str, str]], Any]:
    def change(params: dict[str, str]) -> None:
        if params.get(name) == value:
            del params[name]

    return change


def hyphens(params: dict[str, str]) -> None:
    if "-" in params.get("vendor", ""):
        params["vendor"] = params["vendor"].replace("-", "")


def an_hour(slug: str) -> Callable[[dict[str, str]], Any]:
    """Read since an hour later for one source."""

    def change(params: dict[str, str]) -> None:
        if params.get("sources") == slug and re.match(r"\d{4}-\d\d-\d\dT", params.get("since", "")):
            params["since"] = "2020" + params["since"][4:]

    return change


def of_one_source(change: Callable[[dict[str, Any]], Any]) -> Callable[..., Any]:
    """Change the diffs of one source, which is not among the first."""

    def changed(page: dict[str, Any], _: dict[str, str]) -> None:
        if page.get("source") == MORE_PUBLISHING[-1]:
            change(page)

    return changed


def counted_diffs(page: dict[str, Any]) -> None:
    for item in page["items"]:
        item["stats"]["added"] += 1


def exchanged(page: dict[str, Any]) -> None:
    for item in page["items"]:
        item["before"], item["after"] = item["after"], item["before"]


def without_future_of(page: dict[str, Any], params: dict[str, str]) -> None:
    """Leave the entries of one source out that lie ahead."""
    if params.get("future") == "1":
        page["items"] = [
            item for item in page["items"]
            if item["source"] != PUBLISHING[4] or not item["id"].endswith("/000")
        ]  # fmt: skip
