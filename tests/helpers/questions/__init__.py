"""Forty questions with checkable answers, put to scripted agents: what an answer costs in tokens.

``installation`` makes the service that is asked, ``agent`` calls its tools and counts, ``catalog``,
``entries`` and ``days`` are the questions. ``python -m questions`` puts them.
"""
