"""Guests that answer wrongly, twice differently, too much, never, or in another's name.

ANSWERS: the text of a file -> how what is said about it starts, or one of several ways. SLOW: the
same for others, which use up their time or memory. The function is `noise`.
"""

TELLS = "failed violated"  # what is said of an answer that gives the world away
FAILED = "S112 the Python function failed: "
UNREADABLE = "S112 the Python function gave an answer that cannot be read"
NONE = "S112 the Python function gave no answer: it ended with "
LATE = "undecided undecided, the Python function ran longer than 1 s"
HUNGRY = "undecided undecided, the Python function needs more memory"
LONG = (FAILED + "the answer is larger than 64 MiB", HUNGRY, LATE)  # whichever comes first
ENDED = "undecided undecided, the Python function was ended by the system"
DIFFERS = "S113 the Python function answers differently"

HEAD = "import os, sys, time, threading, ctypes\nfrom fractions import Fraction\n"

# Writes to every open file, among them the one of the answer, as if the runner had.
FORGING = """
import os
def forge(text):
    for number in range(3, 256):
        try:
            os.lseek(number, 0, 0)
            os.write(number, text)
        except OSError:
            pass
"""
ROW = '1\\n1 \\"a\\"\\n'

RETURNED = {  # what the function returns
    "{'a': 0.5, 'b': 0.5}": FAILED + "TypeError: world {'ann': 0}: 0.5 is not exact",
    "{'a': float('nan')}": FAILED + "TypeError: world {'ann': 0}: nan is not exact",
    "{'a': float('inf')}": FAILED + "TypeError: world {'ann': 0}: inf is not exact",
    "{'a': 1j}": FAILED + "TypeError: world {'ann': 0}: 1j is not exact",
    "{'a': True}": FAILED + "TypeError: world {'ann': 0}: True is not exact",
    "{'a': None}": FAILED + "TypeError",
    "{'a': b'1'}": FAILED + "TypeError",
    "{'a': [1]}": FAILED + "TypeError",
    "{'a': {'b': 1}}": FAILED + "TypeError",
    "{'a': __import__('decimal').Decimal(1)}": FAILED + "TypeError",
    "[('a', 1)]": FAILED + "TypeError: world {'ann': 0}: a dict",
    "'a'": FAILED + "TypeError: world {'ann': 0}: a dict",
    "None": FAILED + "TypeError: world {'ann': 0}: a dict",
    "(x for x in 'a')": FAILED + "TypeError: world {'ann': 0}: a dict",
    "{}": "S103 the row of world '0' sums to 0",
    "{'a': 'NaN'}": "S101 'NaN' is not an exact number",
    "{'a': 'inf'}": "S101 ",
    "{'a': '0x1'}": "S101 ",
    "{'a': '1_0/1_0'}": "S101 ",
    "{'a': '١'}": "S101 ",
    "{'a': ''}": "S101 ",
    "{'a': '1/0'}": "S101 ",
    "{'a': '1 \\n1 \"b\"'}": "S101 ",
    "{'a': '1e999999999'}": "S102 ",
    "{'a': '1/' + '3' * 20000}": "S102 ",
    "{'a': Fraction(1, 3**40000)}": FAILED + "ValueError: Exceeds the limit",
    "{'a': Fraction(1, 2), 'b': Fraction(1, 3)}": "S103 the row of world '0' sums to 5/6",
    "{'a': 2, 'b': -1}": "S104 the probability 2",
    "{'a': '1/2', 'b': '0.50000000000000000001'}": "S103 ",
    "{1: '1/2', '1': '1/2'}": FAILED + "TypeError: world {'ann': 0}: two outputs",
    "{'\\ud800': 1}": FAILED + "UnicodeEncodeError",
    "{'\\x1b[2J': 1}": "S004 the character U+001B",
    "{'\\0': 1}": "S004 the character U+0000",
    "{'a' * 10**6: 1}": UNREADABLE,
    "{object(): 1}": DIFFERS,
    "{'a': 1} if world.pop('ann') else {'b': 1}": TELLS,  # it changes what it was given
}
BODIES = {  # the function's body
    "raise SystemExit": FAILED + "SystemExit",
    "raise KeyboardInterrupt": FAILED + "KeyboardInterrupt",
    "raise GeneratorExit": FAILED + "GeneratorExit",
    "raise ValueError('\\x1b[31m\\n' * 10**6)": FAILED + "ValueError",
    "sys.exit('S000')": FAILED + "SystemExit: S000",
    "os._exit(0)": NONE + "status 0",
    "os._exit(7)": NONE + "status 7",
    "os.abort()": NONE + "signal ",
    "import mmap\n    page = mmap.mmap(-1, 4096, prot=7)\n"  # a system call of 32 bits: getpid
    "    page.write(bytes.fromhex('b814000000cd80c3'))\n"
    "    at = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
    "    return {ctypes.CFUNCTYPE(ctypes.c_int)(at)(): 1}": NONE + "signal ",
    "ctypes.string_at(0)": NONE + "signal 11",
    "ctypes.memmove(id(1), bytes(64), 64); return {'a': 1}": NONE + "signal",
    "f = lambda: f(); f()": FAILED + "RecursionError",
    "while True: pass": LATE,
    "time.sleep(99)": LATE,
    "threading.Event().wait()": LATE,
    "x = [0]\n    while True: x = x + x": (HUNGRY, LATE),
    "x = bytearray(2**31)": HUNGRY,
    "import mmap\n    mmap.mmap(-1, 2**40)": FAILED + "OSError",
    "for n in range(10**6): os.open('/dev/null', os.O_RDONLY)": FAILED + "OSError: [Errno 24]",
    "for n in range(10**6): threading.Thread(target=time.sleep, args=(9,)).start()": "S112 ",
    "threading.stack_size(32768)\n"
    "    while True: threading.Thread(target=time.sleep, args=(9,)).start()": "S112 ",
    "return {'a' * 2**30: 1}": HUNGRY,
    "forge(b'1\\n[\"1\", \"a\"]\\n' * 2 + b'end\\n'); os._exit(0)": "ok holds",  # its answer
    "forge(b'1\\n[\"1\", \"a\"]\\n' * 2 + b'end\\n'); os._exit(1)": NONE + "status 1",
    'forge(b\'1\\n["1", "a"]\\nend\\n\'); os._exit(0)': UNREADABLE,
    "forge(b'1\\n[\"1\", \"a\"]\\n' * 3 + b'end\\n'); os._exit(0)": UNREADABLE,
    'forge(b\'1\\n["1", "a"]\\n\' * 2); os._exit(0)': UNREADABLE,
    "forge(b'1\\n[\"1\", \"a\"]\\n' * 2 + b'end'); os._exit(0)": UNREADABLE,
    "forge(b'1\\n[\"1\", \"a\"]\\n' * 2 + b'end\\nend\\n'); os._exit(0)": UNREADABLE,
    "forge(b'-1\\n' * 2 + b'end\\n'); os._exit(0)": UNREADABLE,
    "forge(b'0\\n' * 2 + b'end\\n'); os._exit(0)": "S103 ",
    "forge(b'9' * 5000 + b'\\n'); os._exit(0)": "undecided undecided, the Python function answers",
    'forge(b\'2\\n["1/2", "a"]\\n["1/2", "a"]\\n\' * 2 + b\'end\\n\'); os._exit(0)': UNREADABLE,
    "forge(b'1\\n[\"1.0e0\", \"a\"]\\n' * 2 + b'end\\n'); os._exit(0)": "ok holds",
    "forge(b'1\\n[\"True\", \"a\"]\\n' * 2 + b'end\\n'); os._exit(0)": "S101 'True'",
    "forge(b'1\\n[\"1\", [\"a\"]]\\n' * 2 + b'end\\n'); os._exit(0)": UNREADABLE,
    "forge(b'1\\n[NaN, \"a\"]\\n' * 2 + b'end\\n'); os._exit(0)": UNREADABLE,
    "forge(b'1\\n[\"1\", \"\\\\ud800\"]\\n' * 2 + b'end\\n'); os._exit(0)": "S004 ",
    "forge(b'1\\n' + b'[' * 60000 + b'\\n'); os._exit(0)": UNREADABLE,
    "forge(b'\\xff\\xfe'); os._exit(0)": UNREADABLE,
    'forge(b\'{"rows": [{"a": "1"}, {"a": "1"}]}\\n\'); os._exit(0)': UNREADABLE,
    "forge(b'error\\n[\"\\\\u001b[2J\"]\\n'); os._exit(0)": FAILED,
    "forge(b'error\\n1\\n'); os._exit(0)": UNREADABLE,
    "forge(b'error\\n'); os._exit(0)": UNREADABLE,
    "forge(b'differs\\n[\"99\"]\\n'); os._exit(0)": DIFFERS,
    "forge(b'differs\\n[\"x\"]\\n'); os._exit(0)": UNREADABLE,
    "forge(b'memory\\n'); os._exit(0)": HUNGRY,
    "forge(b'x' * 2**20 * 65); os._exit(0)": UNREADABLE,
    "forge(b'x' * 2**20 * 65); os.lseek(3, 2**40, 0); os.write(3, b'x')": NONE + "status 1",
    "os.closerange(0, 256); return {'a': 1}": NONE + "status",
    "os.dup2(0, 3); return {'a': 1}": NONE + "status",
    "import json\n    json.dumps = lambda x: 'x'; return {f'{world}': 1}": UNREADABLE,
    "os._exit = print; return {f'{world}': 1}": TELLS,
    "import builtins\n    builtins.isinstance = lambda *a: True; return {'a': 1.0}": NONE
    + "status 1",
    "sys.stdout = sys.stderr = None; return {f'{world}': 1}": TELLS,
    "print('1\\n[\"1\", \"a\"]\\n' * 2 + 'end'); return {f'{world}': 1}": TELLS,
    "os.write(1, b'1\\n[\"1\", \"a\"]\\nend\\n'); return {f'{world}': 1}": TELLS,
    "sys.modules.clear(); return {f'{world}': 1}": TELLS,
    "sys.settrace(lambda *a: 1 / 0); return {f'{world}': 1}": FAILED + "ZeroDivisionError",
    "import atexit\n    atexit.register(print, 'end'); return {f'{world}': 1}": TELLS,
    "if threading.active_count() < 4: threading.Thread(target=time.sleep, args=(99,)).start()\n"
    "    return {f'{world}': 1}": TELLS,
    "import signal\n    signal.alarm(1); time.sleep(9)": NONE + "signal 14",
}
HEAVY = {  # bodies that take seconds
    "sys.setrecursionlimit(10**9); f = lambda: f(); f()": (NONE, "undecided"),
    "10 ** 10 ** 10": LATE,
    "import signal\n    signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n    while True: pass": (
        "undecided"  # by the system
    ),
    "while True:\n        try: time.sleep(9)\n        except BaseException: pass": LATE,
    "return {'a' * 2**26: 1}": LONG,
    "return {n: '1/4000000' for n in range(4 * 10**6)}": LONG,
}
MODULES = {  # a whole file
    "noise = (": FAILED + "SyntaxError",
    "": FAILED + "KeyError: 'noise'",
    "noise = 1": FAILED + "TypeError",
    "raise SystemExit": FAILED + "SystemExit",
    "os._exit(0)": NONE + "status 0",
    "class Int(int):\n    __str__ = lambda self: '1/3'\n"
    "def noise(world):\n    return {'a': Int(1)}": "S103 ",
    "class Key(str):\n    __hash__ = object.__hash__\n    __eq__ = lambda *a: False\n"
    "def noise(world):\n    return {Key('a'): '1/2', Key('a'): '1/2'}": FAILED + "TypeError",
    "class Map(dict):\n    items = lambda self: [('a', 1), ('b', 1)]\n"
    "def noise(world):\n    return Map()": "S103 ",
    "class Text(str):\n    __str__ = lambda self: 1\n"
    "def noise(world):\n    return {Text('a'): 1}": FAILED + "TypeError",
    "class Part(Fraction):\n    __str__ = lambda self: '1' * 10**8\n"
    "def noise(world):\n    return {'a': Part(1)}": LONG,
    "class Odd(Exception):\n    def __str__(self): raise SystemExit\n"
    "def noise(world):\n    raise Odd": "S112 ",
    # answers at random, or of what no answer should depend on
    "import random\nhalf = random.choice([Fraction(1, 2), Fraction(1, 10)])\n"
    "def noise(world):\n    return {'a': half, 'b': 1 - half}": DIFFERS,
    "import random\ndef noise(world):\n    return {random.choice('ab'): 1}": DIFFERS,
    "import random\ntime.sleep(0.2 if 'seen' not in sys.__dict__ else 0)\nsys.seen = True\n"
    "half = random.choice('ab')\ndef noise(world):\n    return {half: 1}": DIFFERS,
    "import secrets\ndef noise(world):\n    return {secrets.token_hex(1): 1}": DIFFERS,
    "def noise(world):\n    return {os.urandom(1)[0] % 2: 1}": DIFFERS,
    "def noise(world):\n    return {time.time_ns(): 1}": DIFFERS,
    "def noise(world):\n    return {os.getpid(): 1}": DIFFERS,
    "def noise(world):\n    return {id(noise): 1}": DIFFERS,
    "def noise(world):\n    return {hash('a') % 1000: 1}": DIFFERS,
    "def noise(world):\n    return {next(iter({f'{n}' for n in range(99)})): 1}": DIFFERS,
    "asked = []\ndef noise(world):\n    asked.append(1)\n    return {len(asked): 1}": DIFFERS,
    "import builtins\ndef noise(world):\n"
    "    builtins.n = getattr(builtins, 'n', 0) + 1\n    return {builtins.n: 1}": DIFFERS,
    "last = []\ndef noise(world):\n    last.append(world['ann'])\n    return {last[0]: 1}": DIFFERS,
}

ANSWERS = {
    **{f"{HEAD}def noise(world):\n    return {value}\n": said for value, said in RETURNED.items()},
    **{f"{HEAD}{FORGING}def noise(world):\n    {body}\n": said for body, said in BODIES.items()},
    **{f"{HEAD}{text}\n": said for text, said in MODULES.items()},
}

SLOW = {f"{HEAD}def noise(world):\n    {body}\n": said for body, said in HEAVY.items()}

# For drawn guests: what is tried where, and what is written to all files at the end.
SETTING_OUT = """


def attack_all():
    for name in CHOSEN:
        tried(name)


def drawn(world):
    if FORGED is not None and world["ann"]:
        forge(FORGED)
        os._exit(0)
    return mechanism(CHOSEN if PLACE == "call" else CHOSEN[:1])(world)


if PLACE == "module":
    attack_all()
if PLACE == "thread":
    threading.Thread(target=attack_all, daemon=True).start()
if PLACE == "exit":
    import atexit

    atexit.register(attack_all)
"""
