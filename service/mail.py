"""Carriers of mail: an SMTP server, or a folder where none is set up."""

import atexit
import os
import secrets
import smtplib
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from email.utils import formataddr, make_msgid, parseaddr
from ipaddress import ip_address
from pathlib import Path
from queue import SimpleQueue
from socket import SHUT_RDWR, socket
from threading import Condition, Thread, Timer
from typing import Any, Final, TypeAlias, cast
from urllib.parse import unquote, urlsplit

import structlog

from outbound.mail import Carrier, Mail, Mailer, Undelivered
from service.addresses import ascii_host
from service.clock import clock
from service.settings import Settings

log = structlog.get_logger(__name__)

MOST_SECONDS: Final = 60.0  # for one mail
CLOSING: Final = 421  # RFC 5321: the server closes the connection
RETRY_AFTER_SECONDS: Final = (2, 10, 30)  # a link lives for 15 minutes
MOST_WAITING: Final = 500
AT_A_TIME: Final = 2
STOPS_WITHIN_SECONDS: Final = 1.0  # enough for a server that answers
SUBMISSION_PORT, TLS_PORT = 587, 465  # RFC 6409, RFC 8314
UNFOLDED: Final = default.clone(max_line_length=998)  # RFC 5322; folding would spoil addresses
ENCODED: Final = default.clone(max_line_length=76, cte_type="7bit")  # RFC 2045, RFC 6152
Count: TypeAlias = Callable[[bool], None]


def mailer_for(settings: Settings, count: Count | None = None) -> Mailer:
    """Return the function that sends mails in the background under these settings."""
    carrier = carrier_for(settings, count)
    if settings.smtp_url is None:
        return carrier
    background = BackgroundSender(carrier)
    atexit.register(background.close, within=STOPS_WITHIN_SECONDS)
    return background.send


def carrier_for(settings: Settings, count: Count | None = None) -> Carrier:
    """Return the function that sends a mail under these settings and waits for the result.

    ``count`` is called after each attempt, with True if the mail was sent.
    """
    carry = outbox(settings.outbox, settings.mail_from)
    if settings.smtp_url is not None:
        carry = server_for(settings.smtp_url.get_secret_value(), settings.mail_from).send
    return carry if count is None else _counted(carry, count)


def _counted(carry: Carrier, count: Count) -> Carrier:
    def send(mail: Mail) -> None:
        try:
            carry(mail)
        except Undelivered:
            count(False)
            raise
        count(True)

    return send


def as_message(mail: Mail, sender: str) -> EmailMessage:
    """Write a mail as a message. Raises ValueError for a line break in an address or a subject."""
    name, address = parseaddr(sender)
    message = EmailMessage(policy=UNFOLDED)
    message["From"] = formataddr((name, address))
    message["To"] = _in_ascii(mail.recipient)
    message["Subject"] = mail.subject
    message["Date"] = clock()
    message["Message-ID"] = make_msgid(domain=address.rpartition("@")[2] or "localhost")
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no vacation notices, please
    for field_name, value in mail.headers:
        message[field_name] = value
    content = mail.text + (mail.html or "")
    if not content.isascii() or max(map(len, content.splitlines()), default=0) > 998:
        message.policy = ENCODED
    message.set_content(mail.text)
    if mail.html is not None:
        message.add_alternative(mail.html, subtype="html")
    message.policy = UNFOLDED
    return message


def _in_ascii(recipient: str) -> str:
    """Return an address with its domain in IDNA form, which servers without SMTPUTF8 take."""
    mailbox, at, domain = recipient.rpartition("@")
    with suppress(ValueError):  # the server says what it makes of it
        domain = domain if domain.isascii() else ascii_host(domain)
    return f"{mailbox}{at}{domain}"


def outbox(folder: Path, sender: str) -> Carrier:
    """Return what writes mails as files that only this user can read; their paths are logged."""

    def send(mail: Mail) -> None:
        message = as_message(mail, sender)
        file = folder / f"{clock():%Y%m%dT%H%M%S}-{secrets.token_hex(4)}.eml"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(bytes(message))
        except OSError as error:
            raise Undelivered(f"{file}: {error.strerror}", lasting=False, any_mail=True) from error
        log.info("mail written", file=str(file))

    return send


class _Utf8(str):
    """Text that smtplib, which asks for ASCII, encodes as UTF-8 (RFC 4616)."""

    __slots__ = ()

    def encode(self, *_: object) -> bytes:
        """Return the text in UTF-8."""
        return super().encode()


class _Connection(smtplib.SMTP):
    """Limits the whole connection to its timeout, which smtplib applies to each read alone."""

    def auth(self, mechanism: str, authobject: Any, **options: Any) -> tuple[int, bytes]:
        """Log in with a user and a password in UTF-8."""

        def respond(challenge: bytes | None = None) -> str | None:
            answer = authobject(challenge)
            return None if answer is None else _Utf8(answer)

        return super().auth(mechanism, cast("Any", respond), **options)

    def connect(self, *arguments: Any, **options: Any) -> tuple[int, bytes]:
        """Connect and read the greeting."""
        self._timer = Timer(self.timeout, self._end)
        self._timer.daemon = True
        self._timer.start()
        return super().connect(*arguments, **options)

    def close(self) -> None:
        """Close."""
        self._timer.cancel()
        super().close()

    def _end(self) -> None:
        sock = self.sock  # its own thread may take it away at any moment
        if sock is not None:
            log.warning("the mail server takes too long", seconds=self.timeout)
            with suppress(OSError):  # it has just ended by itself
                socket.shutdown(sock, SHUT_RDWR)  # TLS, if any, is not ended politely


class _TlsConnection(_Connection, smtplib.SMTP_SSL):
    """The same with TLS from the first byte on."""


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """An SMTP server. ``tls``: from the first byte on (RFC 8314); else STARTTLS is used.

    A password is never sent in the clear to another machine. A mail takes ``most_seconds`` at most.
    """

    host: str
    port: int
    tls: bool
    sender: str
    user: str | None = None
    password: str = field(default="", repr=False)
    trust: Callable[[], ssl.SSLContext] = ssl.create_default_context
    most_seconds: float = MOST_SECONDS

    def send(self, mail: Mail) -> None:
        """Hand one mail over. Raises Undelivered."""
        message = as_message(mail, self.sender)
        try:
            with self._logged_in() as connection:
                connection.send_message(message)
        except (OSError, smtplib.SMTPException) as error:
            raise _undelivered(error, mail) from error
        log.info("mail sent", message_id=message["Message-ID"])

    def greet(self) -> None:
        """Connect, encrypt and log in, and send nothing. Raises Undelivered."""
        try:
            with self._logged_in() as connection:
                connection.noop()
        except (OSError, smtplib.SMTPException) as error:
            raise _undelivered(error) from error

    @contextmanager
    def _logged_in(self) -> Iterator[smtplib.SMTP]:
        options: dict[str, Any] = {"context": self.trust()} if self.tls else {}
        connect = _TlsConnection if self.tls else _Connection
        with connect(self.host, self.port, timeout=self.most_seconds, **options) as connection:
            self._secure(connection)
            if self.user is not None:
                connection.login(self.user, _Utf8(self.password))
            yield connection

    def _secure(self, connection: smtplib.SMTP) -> None:
        if self.tls:
            return
        connection.ehlo()
        if connection.has_extn("starttls"):
            connection.starttls(context=self.trust())
        elif self.user is not None and not is_loopback(self.host):
            raise Undelivered(
                "the server offers no encryption for the password", lasting=True, any_mail=True
            )


def _undelivered(error: Exception, mail: Mail | None = None) -> Undelivered:
    """Return what an error of the server or on the way to it means for a mail."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
        refused = f"the server refuses the recipient ({codes})"
        return Undelivered(refused, lasting=min(codes) >= 500, any_mail=CLOSING in codes)
    if isinstance(error, smtplib.SMTPResponseException):
        code = error.smtp_code
        any_mail = code == CLOSING or not isinstance(error, smtplib.SMTPDataError)
        return Undelivered(f"the server says {code}", lasting=code >= 500, any_mail=any_mail)
    if isinstance(error, smtplib.SMTPNotSupportedError):  # of a password, or of such an address
        any_mail = mail is None or mail.recipient.isascii()
        return Undelivered(str(error), lasting=True, any_mail=any_mail)
    return Undelivered(f"{type(error).__name__}: {error}", lasting=False, any_mail=True)


class BackgroundSender:
    """Sends on threads of its own, so that no response waits for a mail server.

    Otherwise the time of a response would reveal whether the server accepts an address.
    """

    def __init__(self, send: Mailer, *, pauses: Sequence[float] = RETRY_AFTER_SECONDS) -> None:
        self._send = send
        self._pauses = pauses
        self._mails: SimpleQueue[Mail] = SimpleQueue()
        self._unfinished = 0
        self._finished = Condition()
        self._threads: list[Thread] = []

    def send(self, mail: Mail) -> None:
        """Queue a mail; its result is logged."""
        with self._finished:
            if self._unfinished >= MOST_WAITING:
                log.error("mail dropped, too many are waiting")
                return
            self._unfinished += 1
            if len(self._threads) < AT_A_TIME:  # daemons: a process that ends waits for none
                self._threads.append(Thread(target=self._work, name="mail", daemon=True))
                self._threads[-1].start()
        self._mails.put(mail)

    def close(self, *, within: float | None = None) -> None:
        """Wait until every queued mail is sent or given up, for ``within`` seconds at most."""
        with self._finished:
            if not self._finished.wait_for(lambda: not self._unfinished, within):
                log.warning("did not wait for the mail server", mails=self._unfinished)

    def _work(self) -> None:
        while True:
            self._deliver(self._mails.get())

    def _deliver(self, mail: Mail) -> None:
        try:
            for pause in (*self._pauses, None):
                if self._try(mail, last=pause is None) or pause is None:
                    return
                time.sleep(pause)
        except Exception:
            log.exception("mail given up")
        finally:
            with self._finished:
                self._unfinished -= 1
                self._finished.notify_all()

    def _try(self, mail: Mail, *, last: bool) -> bool:
        """Try to send once; return whether no other try is needed."""
        try:
            self._send(mail)
        except Undelivered as error:
            over = last or error.lasting
            write_log = log.error if over else log.warning
            write_log("mail given up" if over else "mail delayed", reason=str(error))
            return over
        return True


def server_for(url: str, sender: str) -> SmtpServer:
    """Return the server of smtp://user:password@host:587, or of smtps:// for TLS from the start."""
    parts = urlsplit(url)
    tls = parts.scheme == "smtps"
    return SmtpServer(
        host=parts.hostname or "localhost",
        port=parts.port or (TLS_PORT if tls else SUBMISSION_PORT),
        tls=tls,
        sender=sender,
        user=None if parts.username is None else unquote(parts.username),
        password=unquote(parts.password or ""),
    )


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
