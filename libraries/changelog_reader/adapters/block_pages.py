"""Block pages: challenges, consent walls and sign-in forms that come instead of a page.

They are often served with status 200. One strong sign is enough; of the weak ones,
which normal pages may show too, two are needed. Reading such a page as one without
entries would hide for weeks that a source is blocked.
"""

import re

from selectolax.lexbor import LexborHTMLParser

from changelog_reader.adapters.base import BlockedDocument

# Only challenge pages hold these.
_STRONG = (
    ("window._cf_chl_opt", "a challenge of Cloudflare"),
    ("/cdn-cgi/challenge-platform/h/b/orchestrate", "a challenge of Cloudflare"),
    ("cf-browser-verification", "a challenge of Cloudflare"),
    ('id="challenge-error-text"', "a challenge of Cloudflare"),
    ("vercel security checkpoint", "a challenge of Vercel"),
    ("_incapsula_resource?", "a challenge of Imperva"),
    ("captcha-delivery.com/captcha", "a challenge of DataDome"),
    ("geo.captcha-delivery.com", "a challenge of DataDome"),
    ("px-captcha", "a challenge of HUMAN"),
    ("awswafintegration", "a challenge of AWS WAF"),
    ("window.gokuprops", "a challenge of AWS WAF"),
    ("sec-if-cpt-container", "a challenge of Akamai"),
    ("anubis_challenge", "a proof-of-work challenge"),
    ("/.within.website/x/cmd/anubis", "a proof-of-work challenge"),
    ("ddos-guard.net/check", "a challenge of DDoS-Guard"),
    ("sgcaptcha", "a captcha"),
)

_TITLES = re.compile(
    r"^(just a moment|attention required|access denied|access to this page has been denied|"
    r"403 forbidden|forbidden|security check|checking your browser|are you (a )?(human|robot)|"
    r"robot check|bot verification|human verification|verifying|please wait|one moment|"
    r"un momento|einen moment|un instant|sign in|log ?in|log on|anmelden|connexion|"
    r"iniciar sesi[oó]n|entrar|before you continue|consent|cookie consent|"
    r"you have been blocked|request blocked|pardon our interruption|unauthorized|"
    r"client challenge|ddos protection|making sure you)",
    re.IGNORECASE,
)

_WEAK = (
    "verify you are human",
    "verify that you are human",
    "verifying you are human",
    "you are not a robot",
    "unusual traffic",
    "enable javascript and cookies to continue",
    "checking your browser",
    "checking if the site connection is secure",
    "performance & security by",
    "performance &amp; security by",
    "ray id",
    "g-recaptcha",
    "h-captcha",
    "cf-turnstile",
    "challenge-form",
    "please complete the security check",
    "you don't have permission to access",
    "you have been blocked",
    "automated access",
    "incident id",
    "reference #",
    "before you continue to",
    "accept all cookies to continue",
    "sign in to continue",
    "log in to continue",
    "sign in to your account",
    "log in to your account",
    "please log in",
    "please sign in",
    "forgot password",
    "forgot your password",
)
_PASSWORD = re.compile(r"<input[^>]{0,500}type\s*=\s*[\"']?password")
_MOST_TEXT = 3000  # characters; a page that says more than this is not an interstitial


def refuse_block_page(markup: str, parser: LexborHTMLParser, title: str) -> None:
    """Raise BlockedDocument for a page that came instead of the real one.

    ``parser`` holds the page without scripts, ``markup`` is the page as it came.
    """
    text = parser.body.text(separator=" ") if parser.body else ""
    if len(" ".join(text.split())) > _MOST_TEXT:
        return
    lowered = markup.lower()
    for sign, name in _STRONG:
        if sign in lowered:
            raise BlockedDocument(f"The page is {name}.")
    signs = [sign for sign in _WEAK if sign in lowered]
    if _TITLES.search(title):
        signs.append(f"the title “{title[:60]}”")
    if _PASSWORD.search(lowered):
        signs.append("a password field")
    if len(signs) >= 2:
        raise BlockedDocument(f"The page stands in front of another: {signs[0]}, {signs[1]}.")
