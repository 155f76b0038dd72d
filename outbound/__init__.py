"""Requests to addresses that strangers chose, to public hosts only; and mails."""
