"""Results as text for people and as JSON for programs; pure functions.

May enter: what was decided and accepted.
Must not know: streams, workers, exit statuses.
"""
