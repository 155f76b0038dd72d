"""What the server of children loads for all of them; what only pages need, a child loads.

Looking for rubbish meanwhile would take a third of it: all of this stays.
"""

import gc

gc.disable()  # children turn it on again

import ingest.adapters.feed  # noqa: E402 - see above
import ingest.sandbox  # noqa: E402 - see above
import ingest.usual_markup  # noqa: E402, F401 - see above

gc.freeze()
