"""Makes `privacy-checker.pyz`: `python -m verifier.standalone.build [FILE]`, or `make checker`.

The same sources make the same bytes, whoever makes them: no times, no compiled files, one order.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "dist" / "privacy-checker.pyz"
SHEBANG = b"#!/usr/bin/env python3\n"
OLD = "privacy-checker needs Python 3.11 or newer"
START = f"""\
import sys

if sys.version_info < (3, 11):
    sys.stderr.write("{OLD}\\n")
    sys.exit(2)
import main

sys.exit(main.main())
"""


def contents() -> dict[str, bytes]:
    """The files in it: the checker as it is, the licence, and what reads the arguments."""
    found = {
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        "__main__.py": START.encode(),
        "main.py": (ROOT / "verifier" / "standalone" / "main.py").read_bytes(),
        "verifier/__init__.py": b'"""Of this package the checker only."""\n',
        "verifier/base/__init__.py": b'"""The version."""\n',
        "verifier/base/version.py": (ROOT / "verifier" / "base" / "version.py").read_bytes(),
    }
    for path in sorted((ROOT / "verifier" / "checker").glob("*.py")):
        found[f"verifier/checker/{path.name}"] = path.read_bytes()
    return found


def build(out: Path = OUT) -> Path:
    """Write the file, and give its path."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with open(out, "wb") as file:
        file.write(SHEBANG)
        with ZipFile(file, "w", ZIP_DEFLATED) as archive:
            for name, data in contents().items():
                archive.writestr(ZipInfo(name), data, ZIP_DEFLATED)
    out.chmod(0o755)
    return out


if __name__ == "__main__":
    print(build(*map(Path, sys.argv[1:])))
