"""Mail, carried by real SMTP servers on loopback, or written into the outbox."""

import socket
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from email import message_from_bytes, policy
from pathlib import Path

import pytest
import structlog
from specimen.serving import free_port

from outbound.mail import Mail
from service.mail import (
    BackgroundSender,
    SmtpServer,
    Undelivered,
    as_message,
    carrier_for,
    outbox,
    server_for,
)
from service.settings import Settings

aiosmtpd = pytest.importorskip("aiosmtpd.controller")
smtp = pytest.importorskip("aiosmtpd.smtp")

SENDER = "Changewire <changewire@acme.example>"
MAIL = Mail("ada@acme.example", "Your link", "Open this:\n\nhttps://changewire.example/?a=b=c\n")
CERTIFICATE = Path(__file__).with_name("mail_localhost.pem")
HOSTILE = ["a@x.example\nBcc: e@x.example", "a@x.example\r\nBcc: e@x.example", "a@x.example\rB: c"]


def trusting():
    """Return what a client needs to trust the server of these tests."""
    return ssl.create_default_context(cafile=str(CERTIFICATE))


def identity():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


class Mailbox:
    """Keeps what was delivered."""

    def __init__(self):
        self.messages, self.logins, self.encrypted = [], [], []

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - its API
        self.messages.append(message_from_bytes(envelope.content, policy=policy.default))
        self.encrypted.append(session.ssl is not None)
        return "250 OK"

    def login(self, server, session, envelope, mechanism, data):
        self.logins.append((data.login, data.password))
        return smtp.AuthResult(success=data.password == b"s3cret@:/", handled=False)


@contextmanager
def serving(mailbox, **options):
    """Run an SMTP server and give its port."""
    port = free_port()
    controller = aiosmtpd.Controller(mailbox, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


@pytest.fixture
def mailbox():
    return Mailbox()


def send(port, mail=MAIL, *, host="127.0.0.1", tls=False, **options):
    SmtpServer(host, port, tls=tls, sender=SENDER, trust=trusting, **options).send(mail)


def test_a_mail_reaches_a_plain_server_on_this_machine(mailbox):
    with serving(mailbox) as port:
        send(port)

    (message,) = mailbox.messages
    assert message["From"] == SENDER
    assert message["To"] == "ada@acme.example"
    assert message["Subject"] == "Your link"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"].endswith("@acme.example>")
    assert message.get_content().splitlines() == MAIL.text.splitlines()


def test_a_mail_may_have_html_and_long_header_fields_which_arrive_as_they_were_written(mailbox):
    address = f"<https://changewire.a-rather-long-name.example/unsubscribe/{'x' * 43}>"
    headers = (("List-Unsubscribe", address), ("List-Unsubscribe-Post", "One-Click"))
    mail = Mail("ada@acme.example", "News", "All\n", html="<p>Ällé</p>", headers=headers)
    with serving(mailbox) as port:
        send(port, mail)

    (message,) = mailbox.messages
    assert f"\nList-Unsubscribe: {address}\n".encode() in bytes(as_message(mail, SENDER))
    assert message["List-Unsubscribe-Post"] == "One-Click"
    assert message.get_body(("plain",)).get_content().split() == ["All"]
    assert message.get_body(("html",)).get_content().split() == ["<p>Ällé</p>"]


def test_starttls_is_used_where_it_is_offered_and_the_password_goes_after_it(mailbox):
    options = {
        "tls_context": identity(),
        "require_starttls": True,
        "authenticator": mailbox.login,
        "auth_required": True,
    }
    with serving(mailbox, **options) as port:
        send(port, user="ada", password="s3cret@:/")

    assert mailbox.encrypted == [True]
    assert mailbox.logins == [(b"ada", b"s3cret@:/")]


def test_a_password_goes_in_utf_8_and_a_wrong_one_is_nothing_that_a_recipient_can_help(mailbox):
    options = {"authenticator": mailbox.login, "auth_require_tls": False}
    with serving(mailbox, **options) as port, pytest.raises(Undelivered, match="535") as error:
        send(port, user="jürgen", password="schlüssel")

    assert ("jürgen".encode(), "schlüssel".encode()) in mailbox.logins
    assert (error.value.lasting, error.value.any_mail) == (True, True)


def test_the_domain_of_a_recipient_goes_in_its_idna_form(mailbox):
    with serving(mailbox, enable_SMTPUTF8=False) as port:
        send(port, Mail("ada@bücher.example", "Your link", "Open this.\n"))

    assert mailbox.messages[0]["To"] == "ada@xn--bcher-kva.example"


def test_smtps_is_encrypted_from_the_first_byte(mailbox):
    with serving(mailbox, ssl_context=identity()) as port:
        send(port, host="localhost", tls=True)

    assert len(mailbox.messages) == 1


def test_a_server_that_cannot_prove_its_name_gets_nothing(mailbox):
    with (
        serving(mailbox, tls_context=identity()) as port,
        pytest.raises(Undelivered, match="CERTIFICATE_VERIFY_FAILED") as error,
    ):
        SmtpServer("127.0.0.1", port, tls=False, sender=SENDER).send(MAIL)

    assert not error.value.lasting
    assert not mailbox.messages


def test_no_password_goes_in_the_clear_to_another_machine(mailbox, monkeypatch):
    monkeypatch.setattr("service.mail.is_loopback", lambda host: False)
    options = {"authenticator": mailbox.login, "auth_require_tls": False}
    with serving(mailbox, **options) as port, pytest.raises(Undelivered, match="no encryption"):
        send(port, user="ada", password="s3cret@:/")

    assert not mailbox.logins


@pytest.mark.parametrize(
    ("command", "answer", "lasting", "any_mail"),
    [
        ("MAIL", "550 your sender is not welcome", True, True),
        ("RCPT", "550 no such mailbox", True, False),
        ("RCPT", "450 come back later", False, False),
        ("RCPT", "421 closing", False, True),
        ("DATA", "554 this one is spam", True, False),
        ("DATA", "421 closing", False, True),
    ],
)
def test_what_the_server_says_of_us_is_told_apart_from_what_it_says_of_a_mail(
    mailbox, command, answer, lasting, any_mail
):
    async def refuse(*_arguments):
        return answer

    setattr(mailbox, f"handle_{command}", refuse)
    with serving(mailbox) as port, pytest.raises(Undelivered) as error:
        send(port)

    assert (error.value.lasting, error.value.any_mail) == (lasting, any_mail)


@pytest.mark.parametrize("tls", [False, True])
def test_a_mail_takes_a_bounded_time_though_a_byte_comes_now_and_then(tls):
    ended = threading.Event()

    def drip(listener):
        connection, _ = listener.accept()
        if tls:
            connection = identity().wrap_socket(connection, server_side=True)
        with connection, suppress(OSError):
            while not ended.wait(0.05):
                connection.sendall(b"2")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        dripping = threading.Thread(target=drip, args=[listener])
        dripping.start()
        began = time.monotonic()
        with pytest.raises(Undelivered) as error:
            send(listener.getsockname()[1], host="localhost", tls=tls, most_seconds=0.5)
        took = time.monotonic() - began
        ended.set()
        dripping.join()

    assert (error.value.lasting, error.value.any_mail) == (False, True)
    assert took < 10


@pytest.mark.parametrize("subject", HOSTILE)
def test_a_line_break_in_a_subject_is_refused(subject):
    with pytest.raises(ValueError, match=r"[Hh]eader|CR|linefeed|newline"):
        as_message(Mail("a@x.example", subject, "t"), SENDER)


def test_the_outbox_holds_the_mail_for_its_owner_alone_and_the_log_says_where(tmp_path):
    with structlog.testing.capture_logs() as logged:
        outbox(tmp_path / "outbox", SENDER)(MAIL)

    (file,) = (tmp_path / "outbox").iterdir()
    assert message_from_bytes(file.read_bytes(), policy=policy.default).get_content() == MAIL.text
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert logged[0]["file"] == str(file)
    assert "https://" not in str(logged)


def flaky(failures, done):
    """Return a sender that fails so often before it delivers."""
    left = iter(failures)

    def send(mail):
        lasting = next(left, None)
        if lasting is not None:
            raise Undelivered("not now", lasting=lasting)
        done.append(mail)

    return send


@pytest.mark.parametrize(
    ("failures", "delivered"),
    [([], 1), ([False], 1), ([False, False], 1), ([False] * 3, 0), ([True], 0)],
)
def test_in_the_background_a_mail_is_tried_again_unless_that_is_pointless(failures, delivered):
    done = []
    carrier = BackgroundSender(flaky(failures, done), pauses=(0, 0))

    carrier.send(MAIL)
    carrier.close()

    assert len(done) == delivered


def test_a_fault_while_sending_stops_no_other_mail():
    done = []

    def send(mail):
        if mail.subject == "bad":
            raise ZeroDivisionError
        done.append(mail.subject)

    carrier = BackgroundSender(send, pauses=())
    for subject in ("bad", "good", "bad", "fine"):
        carrier.send(Mail("a@x.example", subject, "t"))
    carrier.close()

    assert sorted(done) == ["fine", "good"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://mail.acme.example", ("mail.acme.example", 587, False, None, "")),
        ("smtps://mail.acme.example", ("mail.acme.example", 465, True, None, "")),
        ("smtp://u%40x:p%2Fw@127.0.0.1:2525", ("127.0.0.1", 2525, False, "u@x", "p/w")),
    ],
)
def test_an_address_of_a_server_is_read(url, expected):
    server = server_for(url, SENDER)

    assert (server.host, server.port, server.tls, server.user, server.password) == expected
    assert "p/w" not in repr(server)


def test_mails_are_counted_as_sent_or_failed(tmp_path):
    counted = []
    (tmp_path / "file").touch()
    carrier_for(Settings(outbox=tmp_path / "outbox"), counted.append)(MAIL)
    with pytest.raises(Undelivered):
        carrier_for(Settings(outbox=tmp_path / "file"), counted.append)(MAIL)

    assert counted == [True, False]


@pytest.mark.parametrize("html", [None, "<p>" + "é" * 900 + "</p>"])
def test_what_is_encoded_is_seven_bit_and_in_lines_of_76_octets(html):
    message = as_message(
        Mail("ada@acme.example", "Your digest", "–" + "x" * 900, html=html), SENDER
    )
    parts = [part for part in message.walk() if not part.is_multipart()]

    assert bytes(message).isascii()
    assert max(len(line) for part in parts for line in part.get_payload().splitlines()) <= 76
