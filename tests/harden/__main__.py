"""Runs campaigns: `python -m tests.harden [NAME …] [--sample] [--count N] [--seed N]`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

TABLE = Path(__file__).with_name("campaigns.toml")
SEED = 1
AT_ONCE = 2  # campaigns side by side


def table() -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in tomllib.loads(TABLE.read_text())["campaign"]}


def main() -> int:
    campaigns = table()
    parser = argparse.ArgumentParser(prog="python -m tests.harden")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(campaigns))
    parser.add_argument("--sample", action="store_true", help="the small counts")
    parser.add_argument("--count", type=int, help="instead of those of the table")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    if unknown := set(options.names) - campaigns.keys():
        parser.error(f"no such campaign: {', '.join(sorted(unknown))}")
    asked = [row for row in campaigns.values() if not options.sample or row["sample"]]
    chosen = [campaigns[name] for name in options.names] or asked
    if len(chosen) == 1:
        return run(chosen[0], options)
    rest = [argument for argument in sys.argv[1:] if argument not in options.names]
    command = [sys.executable, "-m", "tests.harden", *rest]
    failed = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for row, done in zip(chosen, pool.map(partial(alone, command), chosen), strict=True):
            print(done.stdout, end="", flush=True)  # in the order of the table
            failed += [row["name"]] if done.returncode else []
    print(f"{len(chosen)} campaigns" + f", failed: {', '.join(failed)}" * bool(failed))
    return 1 if failed else 0


def alone(command: list[str], row: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """One campaign, in a process of its own; what it says."""
    told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run([*command, row["name"]], check=False, **told)


def run(row: dict[str, Any], options: argparse.Namespace) -> int:
    """One campaign, in this process; prints its line."""
    if row.get("awaited") and not exists(row):
        print(f"{row['name']}: not there yet")
        return 0
    module, function = row["call"].split(":")
    count = options.count or row["sample" if options.sample else "count"]
    started, status = perf_counter(), "ok"
    try:
        summary = getattr(import_module(module), function)(count, options.seed)
    except AssertionError as failure:
        status, summary = "FAILED", str(failure)
    spent = perf_counter() - started
    print(f"{row['name']}: {status}, seed {options.seed}, {spent:.0f} s: {summary}", flush=True)
    return 0 if status == "ok" else 1


def exists(row: dict[str, Any]) -> bool:
    """Whether the module that a campaign needs is there, and the function."""
    module, function = row["call"].split(":")
    try:
        needed = find_spec(row.get("needs", module))
        return bool(needed) and hasattr(import_module(module), function)
    except ModuleNotFoundError:
        return False


if __name__ == "__main__":
    sys.exit(main())
