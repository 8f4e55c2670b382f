"""How a guest shuts itself in before it runs foreign code: landlock and seccomp, by `ctypes`.

Neither needs a package or a privilege, and neither can be taken back. Landlock (Linux >= 5.13)
lets the process read what Python is made of, and write nowhere. The seccomp filter lets it make
the system calls listed here, and no other: it opens nothing for writing, has no sockets but pairs,
starts no process, signals nobody, and does not change its limits. See landlock(7), seccomp(2).
Imports the standard library only, for the child runs it alone.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys
import sysconfig
from collections.abc import Iterable, Iterator

# Numbers on x86-64 and on 64-bit ARM; "-" where a machine has no such call.
FREE = """
read 0 63             write 1 64            readv 19 65           writev 20 66
pread64 17 67         pwrite64 18 68        preadv 295 69         pwritev 296 70
close 3 57            close_range 436 436   lseek 8 62            dup 32 23
dup2 33 -             dup3 292 24           pipe 22 -             pipe2 293 59
recvfrom 45 207       shutdown 48 210       getsockname 51 204    getpeername 52 205
getsockopt 55 209     stat 4 -              lstat 6 -             fstat 5 80
newfstatat 262 79     statx 332 291         access 21 -           faccessat 269 48
faccessat2 439 439    readlink 89 -         readlinkat 267 78     getdents 78 -
getdents64 217 61     getcwd 79 17          statfs 137 43         fstatfs 138 44
fadvise64 221 223     umask 95 166          mmap 9 222            munmap 11 215
mprotect 10 226       mremap 25 216         madvise 28 233        brk 12 214
mincore 27 232        membarrier 324 283    get_mempolicy 239 236 rt_sigaction 13 134
rt_sigprocmask 14 135 rt_sigreturn 15 139   rt_sigpending 127 136 rt_sigtimedwait 128 137
rt_sigsuspend 130 133 sigaltstack 131 132   pause 34 -            restart_syscall 219 128
alarm 37 -            setitimer 38 103      getitimer 36 102      futex 202 98
futex_waitv 449 449   set_robust_list 273 99 get_robust_list 274 100 rseq 334 293
set_tid_address 218 96 sched_yield 24 124   sched_getaffinity 204 123 sched_getparam 143 121
sched_getscheduler 145 120 sched_get_priority_max 146 125 sched_get_priority_min 147 126
getpriority 140 141   gettid 186 178        getpid 39 172         getppid 110 173
getuid 102 174        geteuid 107 175       getgid 104 176        getegid 108 177
getgroups 115 158     getpgrp 111 -         getpgid 121 155       getsid 124 156
getresuid 118 148     getresgid 120 150     uname 63 160          sysinfo 99 179
getrusage 98 165      times 100 153         getcpu 309 168        getrlimit 97 163
nanosleep 35 101      clock_nanosleep 230 115 clock_gettime 228 113 clock_getres 229 114
gettimeofday 96 169   time 201 -            getrandom 318 278     poll 7 -
ppoll 271 73          select 23 -           pselect6 270 72       epoll_create 213 -
epoll_create1 291 20  epoll_ctl 233 21      epoll_wait 232 -      epoll_pwait 281 22
epoll_pwait2 441 441  eventfd2 290 19       wait4 61 260          waitid 247 95
exit 60 93            exit_group 231 94
"""
UNIFIED = 424  # from here on numbers are the same on all machines; libraries try what is new,
# and fall back to what is old where they hear ENOSYS

LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06  # of the BPF
KILL, REFUSE, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # word of audit.h, column
X32 = 0x40000000

AF_UNIX = 1
WRITING = 0o3 | 0o100 | 0o1000  # O_WRONLY or O_RDWR, O_CREAT, O_TRUNC
THREAD, NAMESPACES = 0x10000, 0x7E020000  # flags of clone
FCNTL = (0, 1, 2, 3, 4, 1030, 1032)  # F_DUPFD to F_SETFL, and no F_SETOWN, which sends signals
IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # what a stream is; (non)blocking; on exec

Instruction = tuple[int, int, int, int]
ALLOWED, REFUSED = (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE | 1)  # EPERM

LANDLOCK_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # of files, by version
READ_FILE, READ_DIR = 1 << 2, 1 << 3
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
SET_NO_NEW_PRIVS, SET_SECCOMP, SECCOMP_FILTER, SET_PDEATHSIG = 38, 22, 2, 1


def has_seccomp() -> bool:
    """Whether the filter is written for this machine."""
    return sys.platform == "linux" and struct.calcsize("P") == 8 and os.uname().machine in MACHINES


def landlock_version() -> int:
    """The version of landlock that the system has, 0 where it has none."""
    if sys.platform != "linux":
        return 0
    version: int = ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    return max(0, version)


def readable() -> list[str]:
    """The files and folders that Python, its packages and its libraries are read from."""
    paths = sysconfig.get_paths()
    found = [*sys.path, *(paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib"))]
    for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix):
        found += [f"{prefix}/lib", f"{prefix}/lib64"]
    found += os.environ.get("LD_LIBRARY_PATH", "").split(":")
    found += ["/usr", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache"]
    found += ["/etc/localtime", "/dev/null", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo"]
    found += ["/sys/devices/system/cpu"]
    return sorted({path for path in found if _is_place(path)})


def _is_place(path: str) -> bool:
    return os.path.isabs(path) and os.path.realpath(path) != "/" and os.path.exists(path)


def confine(landlock: bool, seccomp: bool) -> None:
    """Give up every privilege, then what is asked for; OSError where the system has it not.

    landlock  whether to refuse the files of others, by Landlock
    seccomp   whether to refuse system calls, by seccomp
    """
    if sys.platform == "linux":
        _call("prctl", SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _drop_capabilities()
        _call("prctl", SET_PDEATHSIG, 9, 0, 0, 0)
    if landlock:
        _restrict(landlock_version())
    if seccomp:
        _filter()


def limit(seconds: int, memory: int, size: int) -> None:
    """Bound time, address space and the size of the answer; no core dumps; few open files.

    seconds  of processor time
    memory   bytes of address space
    """
    wanted = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_FSIZE: size,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in wanted.items():
        known = [bound for bound in resource.getrlimit(kind) if bound != resource.RLIM_INFINITY]
        least = min(most, *known) if known else most
        warned = kind == resource.RLIMIT_CPU and least == most and not known  # a second before
        resource.setrlimit(kind, (least, least + warned))


def _call(name: str, *arguments: object) -> int:
    """A function of the C library; OSError where it fails."""
    library = ctypes.CDLL(None, use_errno=True)
    result: int = getattr(library, name)(
        *(ctypes.c_long(part) if isinstance(part, int) else part for part in arguments)
    )
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{name} failed: {os.strerror(ctypes.get_errno())}")
    return result


def _drop_capabilities() -> None:
    # version 3 of the call: three sets of two words, all of them empty
    header, none = struct.pack("Ii", 0x20080522, 0), bytes(24)
    _call("capset", ctypes.c_char_p(header), ctypes.c_char_p(none))


def _restrict(version: int) -> None:
    """Read what is readable, write nowhere; from version 4 no TCP, from 6 no signals."""
    rights = (1 << LANDLOCK_RIGHTS[max(1, min(version, 5))]) - 1
    attributes = struct.pack("QQQ", rights, 3, 3)[
        : 24 if version >= 6 else 16 if version >= 4 else 8
    ]
    ruleset = _call("syscall", CREATE_RULESET, ctypes.c_char_p(attributes), len(attributes), 0)
    for path in readable():
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        allowed = READ_FILE | READ_DIR if os.path.isdir(path) else READ_FILE
        rule = struct.pack("=Qi", allowed, place)
        _call("syscall", ADD_RULE, ruleset, 1, ctypes.c_char_p(rule), 0)
        os.close(place)
    _call("syscall", RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _filter() -> None:
    word, column = MACHINES[os.uname().machine]
    code = b"".join(struct.pack("HBBI", *line) for line in _program(word, column))
    program = ctypes.create_string_buffer(code)
    described = struct.pack("HP", len(code) // 8, ctypes.addressof(program))
    _call("prctl", SET_SECCOMP, SECCOMP_FILTER, ctypes.c_char_p(described), 0, 0)


def _program(word: int, column: int) -> Iterator[Instruction]:
    """The filter: the machine's word, the call's number, then what some calls are asked to do."""
    # calls by the numbers of another machine, such as those of 32 bits, mean something else
    yield from ((LOAD, 0, 0, 4), (EQUAL, 1, 0, word), (RETURN, 0, 0, KILL))
    # the x32 interface has other numbers for the same calls
    yield from ((LOAD, 0, 0, 0), (AT_LEAST, 0, 1, X32), REFUSED)
    for free in _numbers(column):
        yield from ((EQUAL, 0, 1, free), ALLOWED)
    for numbers, rule in _asked():
        if (number := numbers[column]) is not None:
            yield from ((EQUAL, 0, len(rule), number), *rule)
    yield from ((AT_LEAST, 0, 1, UNIFIED), (RETURN, 0, 0, REFUSE | 38), REFUSED)  # ENOSYS


def _numbers(column: int) -> list[int]:
    words = FREE.split()
    return [int(number) for number in words[1 + column :: 3] if number != "-"]


def _asked() -> Iterator[tuple[tuple[int, int | None], list[Instruction]]]:
    """The calls that are allowed with some arguments, by their numbers."""
    reading = [(ANY_BIT, 0, 1, WRITING), REFUSED, ALLOWED]
    yield (2, None), [_low(1), *reading]  # open
    yield (257, 56), [_low(2), *reading]  # openat
    yield (
        (56, 220),
        [  # clone: threads
            _low(0),
            (AND, 0, 0, THREAD | NAMESPACES),
            *_one_of([THREAD]),
        ],
    )
    yield (53, 199), [_low(0), *_one_of([AF_UNIX])]  # socketpair
    yield (44, 206), _zero(4)  # sendto: to the other end, and to no address
    yield (302, 261), _zero(2)  # prlimit64: ask, but set nothing
    yield (72, 25), [_low(1), *_one_of(FCNTL)]
    yield (16, 29), [_low(1), *_one_of(IOCTL)]


def _low(argument: int) -> Instruction:
    """Load the lower half of an argument."""
    return (LOAD, 0, 0, 16 + 8 * argument)


def _one_of(values: Iterable[int]) -> list[Instruction]:
    rule = [line for value in values for line in ((EQUAL, 0, 1, value), ALLOWED)]
    return [*rule, REFUSED]


def _zero(argument: int) -> list[Instruction]:
    # a filter loads 32 bits at a time, and a pointer has 64
    high = (LOAD, 0, 0, 16 + 8 * argument + 4)
    return [_low(argument), (EQUAL, 1, 0, 0), REFUSED, high, (EQUAL, 1, 0, 0), REFUSED, ALLOWED]
