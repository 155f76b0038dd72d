"""Nothing private is ever connected to: a canary listens, and no form of its address hits it."""

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from ipaddress import ip_network
from itertools import cycle
from threading import Thread

import pytest

from ingest.fetching.client import ClientClosed
from ingest.fetching.outcomes import Failure, Fetched
from outbound.backend import Backend
from outbound.guard import AddressPolicy, AddressRefused

HOSTS = """
127.0.0.1 127.0.0.2 127.1 127.0.1 127.255.255.254 0 0.0.0.0 0.0 127.0.0.1. 2130706433 017700000001
0x7f000001 0x7f.1 0x7f.0.0.1 0x7F.0x0.0x0.0x1 0177.1 0177.0.1 0177.0.0.1 0x7f.0.0x1 127.0.0x1
127.0.01 000127.0.0.1 4294967295 2852039166 0xa9fea9fe 169.254.169.254 169.254.43518 10.0.0.1
192.168.1.1 172.16.0.1 100.100.100.200 168.63.129.16 192.0.0.192 255.255.255.255
[::1] [::] [0:0:0:0:0:0:0:1] [0000::0001] [::ffff:127.0.0.1] [::ffff:7f00:1]
[0:0:0:0:0:ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1]
[64:ff9b::7f00:1] [2002:7f00:1::] [2002:7f00:1::1] [fe80::1] [fe80::1%25lo] [fe80::1%lo]
[::1%25lo] [fd00:ec2::254] [fec0::1] [ff02::1] [::5efe:127.0.0.1] [2001:0:7f00:1::]
localhost LOCALHOST localhost. localhost.localdomain ip6-localhost ip6-loopback
a.localhost rebind.example %6cocalhost %31%32%37.0.0.1 user@127.0.0.1 user:pw@127.0.0.1
acme.test@127.0.0.1 acme.test\\@127.0.0.1 127.0.0.1\\@acme.test 127.0.0.1#@acme.test
①②⑦.⓪.⓪.① 127。0。0。1 １２７.0.0.1 ⓛocalhost xn--.example localhost%00.acme.test
""".split()  # noqa: SIM905 - a table is easier to read


def stubborn_resolver(host, port):
    """Lead every name to the canary, numbers to themselves, as a hostile name service would."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return ["127.0.0.1"]
    return [str(sockaddr[0]) for *_, sockaddr in found]


def client_for_canary(make_client, site, allow=()):
    """A client that refuses private addresses only, so that nothing else protects the canary."""
    addresses = AddressPolicy(allow, ports=frozenset({site.port, 80, 443}))
    return make_client(addresses=addresses, resolver=stubborn_resolver)


@pytest.mark.parametrize("host", HOSTS)
def test_no_form_of_a_private_address_reaches_the_canary(site, make_client, ask, host):
    site.reply("/", body=b"secret")

    outcome = ask(f"http://{host}:{site.port}/", client=client_for_canary(make_client, site))

    assert outcome.failure is Failure.ADDRESS_REFUSED
    assert site.seen == []


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "localhost"])
def test_the_same_forms_do_reach_it_when_the_operator_allows(site, make_client, ask, host):
    site.reply("/", body=b"secret")
    client = client_for_canary(make_client, site, (ip_network("127.0.0.0/8"),))

    assert isinstance(ask(f"http://{host}:{site.port}/", client=client), Fetched)


class OnePort(AddressPolicy):
    """Lets everything through at ``ports``; elsewhere only public addresses, at any port."""

    def check(self, address, port):
        if port not in self.ports:
            AddressPolicy(ports=frozenset({port})).check(address, port)


@pytest.mark.parametrize("host", [host for host in HOSTS if "\\" not in host])
def test_no_redirect_leads_to_the_canary(site, tls_site, make_client, ask, host):
    """The redirecting server may be asked because of its port; the canary has another."""
    location = f"http://{host}:{tls_site.port}/".encode().decode("latin-1")
    site.reply("/feed", 302, location=location)
    policy = OnePort(ports=frozenset({site.port}))
    client = make_client(addresses=policy, resolver=stubborn_resolver)

    outcome = ask(site.url(host="acme.example"), client=client)

    assert outcome.failure is Failure.ADDRESS_REFUSED
    assert (len(site.seen), tls_site.seen) == (1, [])


def test_a_name_that_changes_its_mind_never_leads_to_a_private_address(site, make_client, ask):
    """127.0.0.2 stands for a public address here, 127.0.0.1 for the private one."""
    site.reply("/", body=b"secret")
    answers = cycle([["127.0.0.2"], ["127.0.0.1"], ["127.0.0.2", "127.0.0.1"]])
    resolved = []

    def flipping(host, port):
        resolved.append(host)
        return next(answers)

    client = make_client(addresses=AddressPolicy((ip_network("127.0.0.2/32"),)), resolver=flipping)

    outcomes = [ask(f"http://rebind.example:{site.port}/", client=client) for _ in range(1000)]

    assert {outcome.failure for outcome in outcomes} == {
        Failure.ADDRESS_REFUSED,
        Failure.CONNECTION,  # to the address that stands for a public one; nobody listens there
    }
    assert (len(resolved), site.seen) == (1000, [])


def test_the_connection_goes_to_the_address_that_was_checked(site, make_client, ask):
    """A resolver that would answer differently the second time is not asked a second time."""
    site.reply("/", body=b"public")
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    client = make_client(resolver=lambda *_: next(answers))

    assert isinstance(ask(f"http://rebind.example:{site.port}/", client=client), Fetched)
    assert next(answers) == ["10.0.0.1"]


def test_a_peer_that_is_not_the_checked_address_is_hung_up_on(site):
    class Elsewhere(Backend):
        def _open(self, host, port, seconds):
            return super()._open("127.0.0.1", port, seconds)

    policy = AddressPolicy((ip_network("192.0.2.0/24"),))
    backend = Elsewhere(policy, lambda *_: ["192.0.2.1"])

    with pytest.raises(AddressRefused):
        backend.connect_tcp("acme.example", site.port, 5)


def test_the_next_address_is_tried_when_one_does_not_answer(site, make_client, ask):
    site.reply("/", body=b"here")
    client = make_client(resolver=lambda *_: ["127.0.0.9", "127.0.0.1"])

    assert ask(f"http://acme.example:{site.port}/", client=client).body == b"here"


def test_tls_is_verified_against_the_name(tls_site, ask):
    tls_site.reply("/feed", body=b"<rss/>")

    right = ask(tls_site.url(host="acme.example", scheme="https"))
    wrong = ask(tls_site.url(host="globex.example", scheme="https"))

    assert isinstance(right, Fetched)
    assert wrong.failure is Failure.TLS
    assert wrong.message == "The certificate of globex.example is for another host."


def test_a_certificate_nobody_vouches_for_is_refused(tls_site, make_client, ask):
    client = make_client(ssl_context=None)

    outcome = ask(tls_site.url(host="acme.example", scheme="https"), client=client)

    assert outcome.failure is Failure.TLS
    assert tls_site.seen == []


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (socket.gaierror(socket.EAI_AGAIN, "try again"), Failure.DNS_TEMPORARY),
        (socket.gaierror(socket.EAI_NONAME, "unknown"), Failure.DNS),
    ],
)
def test_a_name_that_leads_nowhere_is_an_outcome(make_client, ask, error, failure):
    def resolve(host, port):
        raise error

    client = make_client(resolver=resolve)

    assert ask("https://acme.test/feed", client=client).failure is failure


@pytest.fixture
def tunnel():
    """Start proxies that connect every tunnel to one port here: ``tunnel(port)`` is theirs."""
    with ExitStack() as open_sockets:

        def pump(source, target):
            with suppress(OSError):
                while data := source.recv(65536):
                    target.sendall(data)
                target.shutdown(socket.SHUT_WR)

        def serve(listener, port):
            with suppress(OSError):
                while True:
                    ours = open_sockets.enter_context(listener.accept()[0])
                    ours.recv(65536)
                    theirs = socket.create_connection(("127.0.0.1", port))
                    open_sockets.enter_context(theirs)
                    ours.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                    for pair in ((ours, theirs), (theirs, ours)):
                        Thread(target=pump, args=pair, daemon=True).start()

        def start(port):
            listener = open_sockets.enter_context(socket.create_server(("127.0.0.1", 0)))
            Thread(target=serve, args=(listener, port), daemon=True).start()
            return listener.getsockname()[1]

        yield start


class TestWithAProxy:
    """The operator's proxy connects in our place; what can be checked before still is."""

    @pytest.fixture
    def through(self, site, make_client, ask):
        def fetch_through(url, *, answers=("93.184.216.34",)):
            def resolve(host, port):
                if not answers:
                    raise socket.gaierror(socket.EAI_NONAME, "unknown")
                return answers

            client = make_client(
                addresses=AddressPolicy(), resolver=resolve, proxy=f"http://127.0.0.1:{site.port}"
            )
            return ask(url, client=client)

        return fetch_through

    def test_public_names_go_through_it(self, site, through):
        site.reply("http://acme.test/feed", body=b"<rss/>")

        assert through("http://acme.test/feed").body == b"<rss/>"

    def test_names_that_only_the_proxy_knows_go_through_it(self, site, through):
        site.reply("http://acme.com/feed", body=b"<rss/>")

        assert through("http://acme.com/feed", answers=()).body == b"<rss/>"

    @pytest.mark.parametrize("answer", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "fd00::1"])
    def test_names_with_private_addresses_do_not(self, site, through, answer):
        outcome = through("http://acme.test/feed", answers=(answer,))

        assert (outcome.failure, site.seen) == (Failure.ADDRESS_REFUSED, [])

    @pytest.mark.parametrize(
        "host",
        ["localhost", "router", "a.localhost", "db.internal", "printer.local", "x.home.arpa."],
    )
    def test_local_names_that_nobody_here_knows_do_not(self, site, through, host):
        outcome = through(f"http://{host}/", answers=())

        assert (outcome.failure, site.seen) == (Failure.ADDRESS_REFUSED, [])

    def test_odd_ports_do_not(self, site, through):
        assert through("http://acme.test:6379/").failure is Failure.ADDRESS_REFUSED
        assert through("http://acme.com:6379/", answers=()).failure is Failure.ADDRESS_REFUSED
        assert site.seen == []

    def test_tls_goes_through_a_tunnel_and_is_verified_against_the_name(
        self, tls_site, make_client, ask, tunnel
    ):
        tls_site.reply("/feed", body=b"<rss/>")
        client = make_client(proxy=f"http://127.0.0.1:{tunnel(tls_site.port)}")

        right = ask(tls_site.url(host="acme.example", scheme="https"), client=client)
        again = ask(tls_site.url(host="acme.example", scheme="https"), client=client)
        wrong = ask(tls_site.url(host="globex.example", scheme="https"), client=client)

        assert (right.body, again.body) == (b"<rss/>", b"<rss/>")
        assert len({seen.client for seen in tls_site.seen}) == 1
        assert wrong.failure is Failure.TLS

    def test_closing_the_client_ends_a_fetch_through_it(self, make_client, ask):
        with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor(1) as pool:
            port = silent.getsockname()[1]
            client = make_client(proxy=f"http://127.0.0.1:{port}")
            waiting = pool.submit(ask, "https://acme.example/feed", client=client)
            connection, _ = silent.accept()
            with connection:
                connection.recv(1000)
                client.close()
                with pytest.raises(ClientClosed):
                    waiting.result(timeout=5)

    def test_a_proxy_of_another_kind_is_refused(self, make_client):
        with pytest.raises(ValueError, match="proxy"):
            make_client(proxy="socks5://127.0.0.1:1080")
