"""Signing in by a link or code in a mail (docs/decisions/0030)."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Final
from urllib.parse import unquote

from email_validator import EmailNotValidError, validate_email
from flask import Blueprint, Response, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.client_ip import bucket_of
from handlers.http.rate_limits import count_request
from handlers.http.refusals import RateLimited
from handlers.site.account.browsers import (
    is_known,
    log_event,
    mark_browser,
    note_sign_in,
    sign_in_browser,
    this_browser,
)
from handlers.site.error_pages import refusal_page
from handlers.site.services import client_address, current_time, read, site_services, write
from handlers.site.session import (
    cookie_name,
    current_user,
    done,
    end_own_session,
    require_sign_in,
    signed_in_user,
    start_session,
)
from outbound.mail import Mail
from storage.models import SignInLink
from storage.models.people import AccountEventKind
from storage.people.account_events import note_event
from storage.people.accounts import LONGEST_EMAIL, folded
from storage.people.credentials import code_in, digest_of, new_code
from storage.people.follows import account_follows
from storage.people.plans import PLANS
from storage.people.sessions import add_session, drop_expired_sessions, end_session, end_sessions
from storage.people.sign_in import (
    account_of,
    add_link,
    belongs_to,
    drop_expired_links,
    find_link,
    has_open_link,
    spend_code,
    spend_link,
)
from storage.people.throttle import Limit

sign_in = Blueprint("sign_in", __name__, url_prefix="/auth")

PER_CLIENT: Final = (Limit(10, timedelta(minutes=1)), Limit(100, timedelta(days=1)))
PER_ADDRESS: Final = (Limit(5, timedelta(minutes=15)), Limit(20, timedelta(days=1)))
"""For an address and a client, and for a browser that has signed in with the address before."""
FROM_EVERYWHERE: Final = (Limit(20, timedelta(minutes=15)), Limit(60, timedelta(days=1)))
"""For an address, from all clients together, so that its mailbox is not flooded."""
OF_CODES: Final = (Limit(10, timedelta(minutes=15)),)
"""Codes that a browser may try; each is one of 2^40."""
SUBJECT: Final = "Your sign-in link for Changewire"
HOME: Final = "/following"
FIRST: Final = "/app/sources"  # where a sign-in leads before anything is followed
LONGEST_PATH: Final = 512
# The characters of RFC 3986 section 3.3 and 3.4; none that a browser would strip or turn round.
_LOCAL: Final = re.compile(
    r"/(?:app|deadlines|e|following|important|latest|search|sources|status|vendors)(?:[/?][A-Za-z0-9._~!$'()*+,;=:@%/?&-]*)?"
)


@sign_in.get("/login")
def login() -> AnyResponse | str:
    """Ask for an address."""
    destination = local_path(request.args.get("next"))
    if current_user() is not None:
        return redirect(destination, code=303)
    return render_template("sign_in.html", next_path=destination)


@sign_in.get("/again")
def again() -> AnyResponse | str:
    """Ask a signed-in user to sign in again."""
    refused = require_sign_in()
    destination = local_path(request.args.get("next"))
    return refused or render_template(
        "sign_in_again.html", next_path=destination, email=signed_in_user().email
    )


@sign_in.post("/login")
def send_link() -> AnyResponse | tuple[str, int]:
    """Mail a link. The answer, and the work, are the same for every address."""
    destination = local_path(request.form.get("next"))
    written = request.form.get("email", "")
    address, client = _address_in(written), bucket_of(client_address())
    known = address is not None and is_known(address)
    if not known:
        count_request(site_services(), f"sign_in_client/{client}", PER_CLIENT)
    if address is None:
        page = render_template("sign_in.html", next_path=destination, written=written, wrong=True)
        return page, 400
    browser = mark_browser()
    if _may_be_sent(digest_of(address.casefold()), client, known=known):
        _send(address, destination, browser)
    return redirect(url_for("sign_in.sent"), code=303)


def _may_be_sent(digest: str, client: str, *, known: bool) -> bool:
    """Count a link for an address; nobody else's tries count for a browser that it knows."""
    services = site_services()
    try:
        if known:
            count_request(services, f"sign_in_known/{digest}", PER_ADDRESS)
        else:
            count_request(services, f"sign_in_address/{digest}/{client}", PER_ADDRESS)
            count_request(services, f"sign_in_everywhere/{digest}", FROM_EVERYWHERE)
    except RateLimited:
        return False
    return True


def _address_in(written: str) -> str | None:
    try:
        address = validate_email(
            written.strip(), check_deliverability=False, allow_smtputf8=False
        ).normalized
    except EmailNotValidError:
        return None
    return address if len(folded(address)) <= LONGEST_EMAIL else None


@sign_in.get("/sent")
def sent() -> str:
    """Show that a mail was sent, and ask for its code."""
    return render_template("sent.html", wrong=False)


@sign_in.get("/confirm")
def confirm() -> Response | str:
    """Ask for a click before a link is spent: programs that look at mails follow links."""
    token = request.args.get("token", "")
    with read() as session:
        link = find_link(session, token, now=current_time())
        if link is None:
            return _stale_link()
        page = "confirm.html" if belongs_to(link, sign_in_browser()) else "elsewhere.html"
        return render_template(page, email=link.email, token=token, next_path=link.next_path)


@sign_in.post("/confirm")
def confirmed() -> AnyResponse:
    """Spend the link and open a session; the one that this browser had is over."""
    token, browser, now = request.form.get("token", ""), sign_in_browser(), current_time()
    signed_in = _enter(lambda session: spend_link(session, token, browser=browser, now=now))
    return signed_in or _stale_link()


@sign_in.post("/code")
def code_typed() -> AnyResponse | tuple[str, int]:
    """Spend the link whose code was typed into the browser that asked for it."""
    services, browser = site_services(), sign_in_browser()
    code, now = code_in(request.form.get("code", "")), current_time()
    with read() as session:
        if browser is None or not has_open_link(session, browser, now=now):
            return _stale_link()
    count_request(services, f"sign_in_code/{digest_of(browser)}", OF_CODES)
    typed, own = code, browser
    signed_in = typed and _enter(lambda session: spend_code(session, typed, browser=own, now=now))
    return signed_in or (render_template("sent.html", wrong=True), 400)


def _enter(spend: Callable[[Session], SignInLink | None]) -> AnyResponse | None:
    """Open a session for the link that is spent, in one transaction; None if there is none."""
    with write() as session:
        link = spend(session)
        if link is None:
            return None
        email = link.email
        token, destination = _open_session(session, email, local_path(link.next_path))
    start_session(token)
    note_sign_in(email)
    return redirect(destination, code=303)


def _open_session(session: Session, email: str, destination: str) -> tuple[str, str]:
    """Return the token of a new session for a verified address, and the page that it leads to.

    The previous session of this browser ends. The page is that to choose on, as long as there is no
    list to read.
    """
    now, here = current_time(), this_browser()
    drop_expired_sessions(session, now=now)
    end_session(session, request.cookies.get(cookie_name(), ""))
    account = account_of(session, email, now=now)
    token = add_session(session, account, now=now, browser=here.browser, client=here.client)
    note_event(session, account.id, AccountEventKind.SIGNED_IN, "", by=here, now=now)
    has_list = PLANS[account.plan].slots is None or account_follows(session, account.id)
    return token, FIRST if destination == HOME and not has_list else destination


@sign_in.post("/sign-out")
def sign_out() -> AnyResponse:
    """End the session of this browser."""
    end_own_session()
    return done("Signed out.", "public.home")


@sign_in.post("/sign-out-everywhere")
def sign_out_everywhere() -> AnyResponse:
    """End every session of the account."""
    owner = current_user()
    if owner is not None:
        with write() as session:
            end_sessions(session, owner.account_id)
            log_event(session, AccountEventKind.SIGNED_OUT_ALL)
    end_own_session()
    return done("Signed out everywhere.", "public.home")


def _send(address: str, destination: str, browser: str) -> None:
    services, code, now = site_services(), new_code(), current_time()
    with write() as session:
        drop_expired_links(session, now=now)
        token = add_link(
            session, address, next_path=destination, browser=browser, code=code, now=now
        )
    link = f"{services.site_url}/auth/confirm?token={token}"
    text = render_template("sign_in_mail.txt", link=link, code=code)
    services.send_mail(Mail(address, SUBJECT, text))


def _stale_link() -> Response:
    return refusal_page(
        410,
        title="This link has expired",
        text="Sign-in links work once and expire after 15 minutes.",
        way_on=(url_for("sign_in.login"), "Get a new link"),
    )


def local_path(url: str | None, otherwise: str = HOME) -> str:
    """Return an address if it is the path of a page that has use for a sign-in, else another one.

    It is checked as written and after decoding it twice: no empty or dotted segment, no backslash,
    no control character.
    """
    if url is None or len(url) > LONGEST_PATH or not _LOCAL.fullmatch(url):
        return otherwise
    path = url.partition("?")[0]
    decoded = unquote(unquote(path))
    segments = decoded.split("/")[1:]
    clean = decoded.isprintable() and not set(decoded) & set("\\%?#")
    return url if clean and not {"", ".", ".."} & set(segments) else otherwise
