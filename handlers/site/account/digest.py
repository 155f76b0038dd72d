"""The digest: set on the page of webhooks, ended by one click in any of its mails."""

from typing import Final

from flask import Blueprint, Response, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.webhooks import count_changes, filters_to_choose
from handlers.site.account.webhooks import overview as webhooks_page
from handlers.site.error_pages import refusal_page
from handlers.site.forms import parse_digest_form
from handlers.site.protection import PRIVATE
from handlers.site.services import current_time, read, write
from handlers.site.session import done, require_sign_in, signed_in_user
from storage.delivery.digests import end_digest, find_digest_by_token, save_digest
from storage.people.accounts import Refused
from storage.people.stacks import stack_names

digest = Blueprint("digest", __name__, url_prefix="/app/digest")
digest.before_request(require_sign_in)
digest.before_request(count_changes)

unsubscribe = Blueprint("unsubscribe", __name__)
PATH: Final = "/unsubscribe"


@unsubscribe.after_request
def keep_nowhere(response: Response) -> Response:
    """Forbid caching, as the page names a person."""
    response.headers["Cache-Control"] = PRIVATE
    return response


@digest.post("")
def choose() -> AnyResponse:
    """Start, change or end the digest."""
    owner = signed_in_user()
    with write() as session:
        stacks = {f"stack:{name}": name for name in stack_names(session, owner.account_id)}
        settings = parse_digest_form(request.form, {**filters_to_choose(session), **stacks})
        if settings is None:
            end_digest(session, owner.account_id)
        else:
            save_digest(session, owner.account_id, settings, now=current_time())
    said = "Digest turned off." if settings is None else f"Digest set to {settings.frequency}."
    return done(said, "webhooks.overview", _anchor="digest")


digest.register_error_handler(Refused, lambda error: (webhooks_page(str(error)), 400))


@unsubscribe.get(PATH)
def ask() -> Response | str:
    """Ask for a click, because programs that scan mails follow links (as with sign-in).

    The token is in the query, which no log holds.
    """
    token = request.args.get("token", "")
    with read() as session:
        subscription = find_digest_by_token(session, token)
        if subscription is None:
            return _unknown(404)
        return render_template("unsubscribe.html", token=token, email=subscription.account.email)


@unsubscribe.post(PATH)
def end() -> Response | str:
    """End the digest. Mail programs do this too, with no cookie and no form of ours (RFC 8058).

    A program that sends it again gets a 200 as well: the digest has ended.
    The token proves that the sender has the mail, so no CSRF token is needed.
    """
    with write() as session:
        subscription = find_digest_by_token(session, request.args.get("token", ""))
        email = None if subscription is None else subscription.account.email
        if subscription is not None:
            end_digest(session, subscription.account_id)
    if email is None:
        return _unknown(200)
    return render_template("unsubscribe.html", token=None, email=email)


def _unknown(status: int) -> Response:
    return refusal_page(
        status,
        title="You are already unsubscribed",
        text="If you still get a digest, use the link in that email.",
    )
