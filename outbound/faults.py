"""How an exchange can come to nothing. Messages are for the operator and name no address."""


class Fault(Exception):
    """No answer, or one that cannot be used."""


class TimedOut(Fault):
    """It took too long."""


class Disconnected(Fault):
    """The connection was refused or lost."""


class TlsFailed(Fault):
    """No trusted connection: certificate, name or protocol. The message is OpenSSL's reason."""


class NotHttp(Fault):
    """What came is no answer by RFC 9112, or was cut short."""


class ProxyRefused(Fault):
    """The operator's proxy does not let us through."""


class TooMuch(Fault):
    """More bytes came over the wire than are read."""


class BadCoding(Fault):
    """The content is not coded as its header fields say."""
