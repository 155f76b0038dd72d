"""What is wrong with a page as it is seen: what axe finds, and what its window cuts off."""

from playwright.sync_api import TimeoutError as TooLate

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
SMALLEST = {"width": 360, "height": 740}
ALL = {"resultTypes": ["violations"]}
OF_COLOURS = ALL | {"runOnly": ["color-contrast", "link-in-text-block"]}
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


def faults(axe, page, options=ALL):
    """Return the accessibility faults of a page as it stands, each with its first place."""
    found = axe.run(page, options=options).response["violations"]
    return [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found]


def fits(page):
    """Tell whether a page is no wider than its window, once it was laid out for that."""
    try:
        page.wait_for_function(FITS, timeout=3000)
    except TooLate:
        return False
    return True


def faults_of_all_views(axe, page):
    """Return the faults of a page on a phone and a desk, light and dark.

    The page is loaded once and should have been opened with reduced motion, so that no colour is
    on its way. What a scheme changes are colours: the second one is asked for those alone.
    """
    found = []
    for size in (SMALLEST, DESK, PHONE):
        page.set_viewport_size(size)
        if not fits(page):
            found.append(("wider than its window", size["width"]))
    for size, schemes in ((PHONE, ("light", "dark")), (DESK, ("dark", "light"))):
        page.set_viewport_size(size)
        for scheme, options in zip(schemes, (ALL, OF_COLOURS), strict=True):
            page.emulate_media(color_scheme=scheme)
            seen = f"{size['width']} {scheme}"
            found += [(seen, *each) for each in faults(axe, page, options)]
    return found
