"""Which files are spec files: YAML and JSON with `worlds` and `checks` at the top.

Only reading a file decides it (`is_spec`). Two looks at its text come first, without a library:
`may_be_spec` misses no spec file, `has_keys` takes hardly any other one, but misses keys at the top
that are indented or escaped.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from verifier.base.document import Mapping, load
from verifier.base.errors import InputError

SUFFIXES = (".yaml", ".yml", ".json")
KEYS = ("worlds", "checks")


def may_be_spec(content: bytes) -> bool:
    """Whether the keys stand somewhere in the `content` of a file, or what may be their escape."""
    return b"\\" in content or all(key.encode() in content for key in KEYS)


def has_keys(text: str) -> bool:
    """Whether the `text` of a file has `worlds` and `checks` at its top.

    >>> has_keys("worlds: [a]\\nchecks: []"), has_keys('{"worlds": 8}'), has_keys("a: {worlds: b}")
    (True, False, False)
    """
    if not text.lstrip().startswith("{"):
        return all(re.search(rf"^[\"']?{key}[\"']?\s*:", text, re.MULTILINE) for key in KEYS)
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):  # a mapping of YAML, or damaged: then it is read
        return all(re.search(rf"\b{key}\b", text) for key in KEYS)
    return isinstance(whole, dict) and all(key in whole for key in KEYS)


def is_spec(path: str) -> bool:
    """Whether the file at a `path` is a spec file; as far as can be seen where it is damaged."""
    try:
        node = load(path)
    except InputError:
        text = Path(path).read_bytes().decode(errors="replace")
        return all(re.search(rf"[\"']?\b{key}[\"']?\s*:", text) for key in KEYS)
    return isinstance(node, Mapping) and all(key in node.table for key in KEYS)
