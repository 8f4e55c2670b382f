"""Certificates of former runs: checked again, which is quicker than to decide again."""

FOLDER = ".verifier-cache"
