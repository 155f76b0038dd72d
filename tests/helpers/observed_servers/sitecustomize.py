"""Observe which parts of Connexion the requests to a server process meet."""

import sys

if "--multiprocessing-fork" in sys.orig_argv:  # granian spawns the processes that answer
    from pathlib import Path

    sys.path.append(str(Path(__file__).parents[1]))
    from connexion_passages import observe_this_process

    observe_this_process()
