"""Moved to `reading`; to be deleted when no module asks for it any more."""

from .reading import Pair, Secrets, read_beliefs, read_pair, read_pairs, read_secrets

__all__ = ["Pair", "Secrets", "read_beliefs", "read_pair", "read_pairs", "read_secrets"]
