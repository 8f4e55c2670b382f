"""`python -m benchmarks.many COUNT [ARGUMENT …]`: so many small checks of one file, as `verifier
check` with these arguments decides them."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from verifier import cli

HEAD = """\
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
"""


def main(count: int, *arguments: str) -> int:
    """Check the file without a cache; the exit status of `verifier check`."""
    checks = (f"  - differential_privacy: {{exp_epsilon: {3 + n}}}\n" for n in range(count))
    with TemporaryDirectory() as folder:
        spec = Path(folder) / "spec.yaml"
        spec.write_text(HEAD + "".join(checks), encoding="utf-8")
        return cli.main(["check", "--quiet", "--no-cache", *arguments, str(spec)])


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
