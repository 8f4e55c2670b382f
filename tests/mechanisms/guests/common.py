"""Guests that try what they may not; each returns whether it went through.

Every one of them answers with its world, so that it protects nothing, and says in the label how
its attack went. SETTINGS is written by the test: paths, ports and process ids outside.
"""

import ctypes
import os
from fractions import Fraction

SETTINGS: dict = {}
GUESTS: dict = {}
LIBC = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"


def guest(attack):
    """One of the attacks, by its name."""
    GUESTS[attack.__name__] = attack
    return attack


def mechanism(names):
    """A function that makes attacks and says which went through, and what its world is."""

    def several(world):
        return {f"{tried(name)} {name} {world['ann']}": Fraction(1, len(names)) for name in names}

    return several


def tried(name):
    try:
        done = GUESTS[name]()
    except (OSError, RuntimeError, ImportError, ValueError):
        done = False
    return "went through" if done else "refused"


def succeeded(result):
    """Whether a call of the C library did what it was asked."""
    return result >= 0


def call(x86, arm, *arguments):
    """A raw system call."""
    number = x86 if X86 else arm
    if number is None:
        return -1
    return LIBC.syscall(ctypes.c_long(number), *map(raw, arguments))


def raw(value):
    return ctypes.c_long(value) if isinstance(value, int) else value


def overwrites(path, mode="a"):
    """Open a file for writing; nothing is written, for it may be one that somebody needs."""
    new = not os.path.exists(path)
    with open(path, mode):
        pass
    if new:
        os.unlink(path)
    return True
