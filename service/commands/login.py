"""changewire login and logout: a key for this terminal, allowed in a browser."""

import hashlib
import os
import secrets
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from typing import Annotated, Any, Final

import httpx2
import typer

from client.transport import BASE_PATH, base_url_of, reason_of
from service.commands.inputs import CommandFailed, settings_for_command
from service.commands.output import say
from service.reader.key_store import Keyring, key_store
from service.reader.loopback import loopback
from service.reader.selection import address_to_open
from service.terminal_escape import plain

TIMEOUT: Final = 20.0
WAITING: Final = 202
DONE_PAGE: Final = "/app/connect/done"
TOO_LATE: Final = "Nobody allowed it in time. Run changewire login again."
Address = Annotated[
    str | None,
    typer.Argument(help="Address of the service; default: CHANGEWIRE_API_URL, or the last login."),
]


def login(
    address: Address = None,
    *,
    browser: Annotated[
        bool,
        typer.Option(
            "--browser/--no-browser",
            help="Without: print an address and a code, for a browser on any other machine.",
        ),
    ] = True,
    in_file: Annotated[
        bool, typer.Option("--file", help="Keep the key in a file that only you can read.")
    ] = False,
) -> None:
    """Get a key for this terminal, allowed by you in a browser.

    Example: changewire login https://changewire.example
    """
    site, store = _site(address), key_store()
    if not in_file:
        Keyring()  # raises where there is none, before a browser is opened
    earlier = store.find(site)
    try:
        key = _by_browser(site) if browser and _has_browser() else _by_code(site)
    except KeyboardInterrupt as stop:
        raise CommandFailed("Stopped. No key was made.") from stop
    store.keep(site, key, in_file=in_file)
    if earlier is not None:
        _revoke(site, earlier)
    where = store.file if in_file else "the keyring of this machine"
    say(f"You are logged in to {site}; the key is kept in {where}.")


def logout(address: Address = None) -> None:
    """Revoke the key of this terminal, and forget it.

    Example: changewire logout
    """
    site, store = _site(address), key_store()
    key = store.find(site)
    if key is None:
        store.forget(site)
        raise CommandFailed(f"This terminal has no key of {site} from changewire login.")
    store.forget(site)
    if _revoke(site, key):
        say(f"The key of {site} is revoked and forgotten.")
    else:
        say(f"The key is forgotten, but not revoked: do that at {site}/app/api-keys.")


def _site(address: str | None) -> str:
    settings = settings_for_command()
    chosen = address or settings.api_url or key_store().default() or settings.site_url
    try:
        return base_url_of(chosen).removesuffix(BASE_PATH)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="ADDRESS") from error


def _has_browser() -> bool:
    """Tell whether a browser can be opened here; a text browser would take over the terminal."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform.startswith("linux") and not any(map(os.environ.get, displays)):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _by_browser(site: str) -> str:
    """Open a page of the site, and wait for its redirect to this machine."""
    secret, state = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    with loopback(state, f"{site}{DONE_PAGE}") as waiting:
        begun = _begin(site, secret, port=waiting.port, state=state)
        page = address_to_open(str(begun["address"]))
        say(f"Your browser opens {plain(page or site)}")
        say(f"Allow it there, if it shows the code {plain(str(begun['code']))}.")
        opened: list[bool] = []
        opening = threading.Thread(target=lambda: opened.append(_open(page)), daemon=True)
        opening.start()  # some browsers return when they are closed
        still = _until(begun)
        answer = waiting.wait(lambda: still() and False not in opened)
    if answer is None and False in opened:
        raise CommandFailed("No browser could be started: changewire login --no-browser")
    if answer is None:
        raise CommandFailed(TOO_LATE)
    if "once" not in answer:
        raise CommandFailed("It was refused in the browser.")
    key = _fetch(site, {"secret": secret, "once": answer["once"]})
    if key is None:
        raise CommandFailed(TOO_LATE)
    return key


def _open(page: str | None) -> bool:
    return page is not None and webbrowser.open(page)


def _by_code(site: str) -> str:
    """Print an address and a code, and ask until somebody has allowed it."""
    secret = secrets.token_urlsafe(32)
    begun = _begin(site, secret)
    page, code = plain(str(begun["page"])), plain(str(begun["code"]))
    say(f"Open {page} in any browser and type the code {code}")
    still = _until(begun)
    while still():
        key = _fetch(site, {"secret": secret})
        if key is not None:
            return key
        time.sleep(begun["interval"])
    raise CommandFailed(TOO_LATE)


def _begin(site: str, secret: str, **place: object) -> dict[str, Any]:
    challenge = hashlib.sha256(secret.encode()).hexdigest()
    name = f"changewire on {socket.gethostname()}"[:80]
    _, begun = _post(f"{site}/auth/terminal", {"challenge": challenge, "name": name, **place})
    if not {"code", "page", "address", "seconds", "interval"} <= begun.keys():
        raise CommandFailed(f"{site} does not know changewire login. Is the address right?")
    return begun


def _until(begun: dict[str, Any]) -> Callable[[], bool]:
    """Return what tells whether there is still time."""
    end = time.monotonic() + begun["seconds"]
    return lambda: time.monotonic() < end


def _fetch(site: str, body: dict[str, str]) -> str | None:
    """Return the key; None as long as nobody has allowed it."""
    status, answer = _post(f"{site}/auth/terminal/key", body)
    return None if status == WAITING else str(answer["key"])


def _revoke(site: str, key: str) -> bool:
    """Revoke a key; return whether the service said so."""
    try:
        _post(f"{site}/auth/terminal/end", {}, {"Authorization": f"Bearer {key}"})
    except CommandFailed:
        return False
    return True


def _post(
    url: str, body: dict[str, object] | dict[str, str], headers: dict[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    try:
        response = httpx2.post(url, json=body, headers=headers or {}, timeout=TIMEOUT)
        answer = response.json()
    except httpx2.RequestError as error:
        raise CommandFailed(f"{url} cannot be reached: {plain(reason_of(error))}.") from error
    except ValueError as error:
        raise CommandFailed(f"{url} does not know changewire login.") from error
    if not isinstance(answer, dict) or not response.is_success:
        refusal = answer if isinstance(answer, dict) else {}
        words = f"{refusal.get('message', 'It was refused.')} {refusal.get('hint', '')}"
        raise CommandFailed(plain(words.strip()))
    return response.status_code, answer
