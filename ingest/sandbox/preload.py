"""What the server of children loads for all of them; what only pages need, a child loads.

Looking for rubbish meanwhile would take a third of it: all of this stays.
"""

import gc

gc.disable()  # children turn it on again


gc.freeze()
