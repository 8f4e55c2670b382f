"""What was told of a file that has not changed since, to be told again without reading it.

Here something is trusted: that this program, of this version, has told so before. The checker is
not asked again. So what is told stands beside a code of it by a secret that this user alone has,
and counts only with the right code. Who writes to the folder of a cache cannot make one.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.base.document import digest_of, open_regular, read_bytes
from verifier.run.cache.store import Store

Json = dict[str, Any]
ASIDE = (
    "advised",
    "cache",
    "given",
    "memory",
    "time_limit",
)  # parts of a job on which no answer depends
ANEW = ("allow_python", "certificates", "start", "stopped")  # with which a job is done anew
READERS = ("numpy", "PyYAML")  # what files are read with besides
MARK = "file:"  # before digests, which tells these entries from those of questions
LENGTH = 32  # bytes of the secret
OTHERS = 0o077  # what people but its owner may do with a file


@dataclass(frozen=True)
class Unchanged:
    """A job on a file, as it is told again while nothing changes.

    store   of the cache
    secret  of this user
    file    its path
    spec    the digest of its bytes
    key     of all that answers depend on, but for other files
    """

    store: Store
    secret: bytes
    file: str
    spec: str
    key: str

    def told(self) -> list[Json] | None:
        """The items that were told when all was as it is now; None where they are not kept."""
        kept = self.store.get(self.key)
        try:
            said = kept["said"]
            if not hmac.compare_digest(kept["code"], self._code(said)):
                return None
            whole: Json = json.loads(said)
            same = all(_digest(path) == digest for path, digest in whole["files"].items())
            return list(whole["items"]) if same else None
        except (KeyError, TypeError, ValueError):  # nothing, or what another program has written
            return None

    def keep(
        self, items: list[Json], sources: Iterable[Mapping[str, Any]], opened: Set[str]
    ) -> None:
        """Keep what was told, unless a file has been read that no question names.

        sources  of the questions: digests of the `spec`, and of other `files` by their paths from
                 its folder
        opened   the whole paths of files that were opened
        """
        files: dict[str, str] = {}
        for source in sources:
            if source["spec"] != self.spec:  # it was written to meanwhile
                return
            for path, digest in source["files"].items():
                files[os.path.join(os.path.dirname(self.file), path)] = digest
        if opened <= set(map(os.path.abspath, (self.file, *files))):
            said = json.dumps({"items": items, "files": files})
            self.store.put(self.key, {"said": said, "code": self._code(said)})

    def _code(self, said: str) -> str:
        return hmac.new(self.secret, f"{self.key} {said}".encode(), hashlib.sha256).hexdigest()


def unchanged(store: Store, job: Json, here: str) -> Unchanged | None:
    """A job that may be told again; None for one that is done anew each time.

    store  of the cache
    job    as workers get it
    here   the path of its file from the current folder, which names of checks depend on

    A job that runs Python, writes certificates, or goes on after another worker is done anew, and
    so is every job in a build, where the environment variable `CI` is set.
    """
    if any(job[key] for key in ANEW) or os.environ.get("CI"):
        return None
    if (secret := _secret()) is None:
        return None
    from importlib.metadata import version

    spec = digest_of(read_bytes(job["file"]))
    programs = [sys.version, *map(version, READERS)]
    about = {key: part for key, part in job.items() if key not in ASIDE}
    text = json.dumps([spec, here, programs, about], sort_keys=True)
    key = MARK + hashlib.sha256(text.encode()).hexdigest()
    return Unchanged(store, secret, job["file"], spec, key)


def _digest(path: str) -> str | None:
    """The digest of a file's bytes; None where it cannot be read."""
    try:
        with open_regular(path) as stream:
            return digest_of(stream.read())
    except OSError:
        return None


def _secret() -> bytes | None:
    """The secret of this user, made the first time; None where there can be none that others do
    not know."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    path = Path(state, "verifier", "secret")
    try:
        with suppress(FileExistsError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(os.urandom(LENGTH))
        with open_regular(path) as stream:
            about = os.fstat(stream.fileno())
            mine = about.st_uid == os.getuid() and not about.st_mode & OTHERS
            secret = stream.read(LENGTH + 1)
        return secret if mine and len(secret) == LENGTH else None
    except (OSError, AttributeError):  # no such folder, or a system without users
        return None
