"""Guests that try what they may not; each returns whether it went through.

Every one of them answers with its world, so that it protects nothing, and says in the label how
its attack went. SETTINGS is written by the test: paths, ports and process ids outside.
"""

import ctypes
import fcntl
import os
import signal
import socket
import struct
import sys
import threading
import time
from contextlib import suppress
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


# --- files


def overwrites(path, mode="a"):
    """Open a file for writing; nothing is written, for it may be one that somebody needs."""
    new = not os.path.exists(path)
    with open(path, mode):
        pass
    if new:
        os.unlink(path)
    return True


@guest
def rewrites_the_spine():
    return overwrites(SETTINGS["package"] + "/verify.py")


@guest
def appends_to_the_checker():
    return overwrites(SETTINGS["package"] + "/checker/__init__.py", "a")


@guest
def rewrites_its_runner():
    return overwrites(SETTINGS["package"] + "/mechanisms/_python_runner.py", "r+")


@guest
def adds_a_module():
    return overwrites(SETTINGS["package"] + "/solvers/evil.py")


@guest
def poisons_a_cached_module():
    folder = SETTINGS["package"] + "/checker/__pycache__"
    return overwrites(f"{folder}/evil.cpython-311.pyc", "ab")


@guest
def adds_a_startup_file():
    return overwrites(os.path.join(os.path.dirname(os.__file__), "site-packages", "evil.pth"))


@guest
def adds_a_startup_module():
    return overwrites(os.path.join(os.path.dirname(os.__file__), "sitecustomize.py"))


@guest
def overwrites_a_certificate():
    return overwrites(SETTINGS["certificates"] + "/spec.yaml-1.json")


@guest
def adds_a_certificate():
    return overwrites(SETTINGS["certificates"] + "/spec.yaml-2.json")


@guest
def adds_a_file_raw():
    path = (SETTINGS["certificates"] + "/raw").encode()
    return succeeded(call(257, 56, -100, path, os.O_CREAT | os.O_WRONLY, 0o600))


@guest
def truncates_by_opening():
    os.close(os.open(SETTINGS["canary"], os.O_RDONLY | os.O_TRUNC))
    return True


@guest
def truncates():
    os.truncate(SETTINGS["canary"], 0)
    return True


@guest
def opens_without_a_name():
    os.close(os.open(SETTINGS["certificates"], os.O_TMPFILE | os.O_RDWR))
    return True


@guest
def opens_by_openat2():
    how = struct.pack("QQQ", os.O_RDWR, 0, 0)
    return succeeded(call(437, 437, -100, SETTINGS["canary"].encode(), how, len(how)))


@guest
def creates_by_creat():
    return X86 and succeeded(call(85, None, SETTINGS["canary"].encode(), 0o600))


@guest
def makes_a_folder():
    os.mkdir(SETTINGS["certificates"] + "/folder")
    return True


@guest
def removes_a_certificate():
    os.unlink(SETTINGS["canary"])
    return True


@guest
def renames_a_certificate():
    os.rename(SETTINGS["canary"], SETTINGS["canary"] + ".old")
    return True


@guest
def exchanges_files():
    a, b = SETTINGS["canary"].encode(), SETTINGS["secret"].encode()
    return succeeded(call(316, 276, -100, a, -100, b, 2))


@guest
def links_a_certificate():
    os.link(SETTINGS["canary"], SETTINGS["certificates"] + "/hard")
    return True


@guest
def links_by_name():
    os.symlink("/etc/passwd", SETTINGS["certificates"] + "/soft")
    return True


@guest
def follows_a_link():
    return overwrites(SETTINGS["link"])


@guest
def changes_the_mode():
    os.chmod(SETTINGS["certificates"], 0)
    return True


@guest
def changes_the_mode_raw():
    return succeeded(call(452, 452, -100, SETTINGS["canary"].encode(), 0, 0))


@guest
def changes_the_owner():
    os.chown(SETTINGS["canary"], 12345, 12345)
    return True


@guest
def changes_the_times():
    os.utime(SETTINGS["canary"], (0, 0))
    return True


@guest
def sets_an_attribute():
    os.setxattr(SETTINGS["canary"], "user.evil", b"1")
    return True


@guest
def marks_a_module():
    with open(os.__file__) as stream:  # may be read: FS_IOC_SETFLAGS needs no more
        fcntl.ioctl(stream, 0x40086602, struct.pack("l", 0x80))
    return True


@guest
def locks_a_module():
    with open(os.__file__) as stream:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True


@guest
def leases_a_module():
    with open(os.__file__) as stream:
        fcntl.fcntl(stream, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    return True


@guest
def mounts():
    return succeeded(call(165, 40, b"none", SETTINGS["certificates"].encode(), b"tmpfs", 0, 0))


@guest
def changes_the_root():
    os.chroot("/usr")
    return True


@guest
def writes_to_shared_memory():
    return overwrites("/dev/shm/evil")


@guest
def writes_to_the_temporary_folder():
    return overwrites("/tmp/verifier-evil")


@guest
def writes_where_it_stands():
    return overwrites("evil")


@guest
def writes_beside_itself():
    return overwrites(os.path.join(os.path.dirname(SETTINGS["canary"]), "evil.py"))


# --- secrets


def contains_the_secret(path):
    with open(path, "rb") as stream:
        return SETTINGS["word"].encode() in stream.read(10**6)


@guest
def reads_a_file_beside_it():
    return contains_the_secret(SETTINGS["secret"])


@guest
def reads_through_a_link():
    return contains_the_secret(SETTINGS["link"])


@guest
def reads_its_environment():
    return SETTINGS["word"] in str(os.environ) or "HOME" in os.environ


@guest
def reads_the_environment_of_its_parent():
    return contains_the_secret(f"/proc/{os.getppid()}/environ")


@guest
def reads_what_started_it_with():
    return contains_the_secret("/proc/self/environ")


@guest
def reads_the_command_of_its_parent():
    with open(f"/proc/{os.getppid()}/cmdline") as stream:
        return bool(stream.read())


@guest
def reads_the_memory_of_its_parent():
    with open(f"/proc/{os.getppid()}/mem", "rb"):
        return True


@guest
def reads_memory_by_a_call():
    space = ctypes.create_string_buffer(16)
    vector = struct.pack("QQ", ctypes.addressof(space), 16)
    return succeeded(call(310, 270, SETTINGS["parent"], vector, 1, vector, 1, 0))


@guest
def writes_memory_by_a_call():
    space = ctypes.create_string_buffer(16)
    vector = struct.pack("QQ", ctypes.addressof(space), 16)
    return succeeded(call(311, 271, SETTINGS["parent"], vector, 1, vector, 1, 0))


@guest
def traces_its_parent():
    return succeeded(call(101, 117, 16, SETTINGS["parent"], 0, 0))  # attach


@guest
def seizes_its_parent():
    return succeeded(call(101, 117, 0x4206, SETTINGS["parent"], 0, 0))


@guest
def lists_the_folder_of_keys():
    return bool(os.listdir(SETTINGS["home"]))


@guest
def reads_who_has_an_account():
    with open("/etc/passwd") as stream:
        return bool(stream.read())


@guest
def reads_the_keyring():
    return succeeded(call(250, 219, 0, -3, 0, 0, 0))  # keyctl: the session's


@guest
def takes_a_descriptor_of_its_parent():
    parent = call(434, 434, SETTINGS["parent"], 0)
    return parent >= 0 and succeeded(call(438, 438, parent, 1, 0))


@guest
def finds_a_descriptor_left_open():
    for number in range(3, 256):
        try:
            os.lseek(number, 0, 0)
            if SETTINGS["word"].encode() in os.pread(number, 10**5, 0):
                return True
        except OSError:
            continue
    return False


# --- networks


@guest
def connects_by_tcp():
    with socket.create_connection(("127.0.0.1", SETTINGS["tcp"]), 1) as stream:
        stream.send(SETTINGS["word"].encode())
    return True


@guest
def sends_by_udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as packets:
        packets.sendto(SETTINGS["word"].encode(), ("127.0.0.1", SETTINGS["udp"]))
    return True


@guest
def sends_by_udp_6():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as packets:
        packets.sendto(b"x", ("::1", SETTINGS["udp"]))
    return True


@guest
def connects_to_a_unix_socket():
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(SETTINGS["unix"])
    return True


@guest
def sends_out_of_a_pair():
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.sendto(SETTINGS["word"].encode(), SETTINGS["datagrams"])
    return True


@guest
def sends_out_of_a_pair_without_a_name():
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.sendto(SETTINGS["word"].encode(), SETTINGS["abstract"])
    return True


@guest
def sends_a_message_out_of_a_pair():
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.sendmsg([SETTINGS["word"].encode()], [], 0, SETTINGS["datagrams"])
    return True


@guest
def connects_a_pair_elsewhere():
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.connect(SETTINGS["datagrams"])
    return True


@guest
def pairs_of_another_kind():
    return succeeded(call(53, 199, 30, 1, 0, ctypes.create_string_buffer(8)))  # AF_TIPC


@guest
def listens():
    with socket.socket() as stream:
        stream.bind(("127.0.0.1", 0))
        stream.listen()
    return True


@guest
def listens_raw():
    return succeeded(call(41, 198, 2, 1, 0))


@guest
def talks_to_the_kernel():
    return succeeded(call(41, 198, 16, 3, 0))  # netlink


@guest
def opens_a_ring():
    return succeeded(call(425, 425, 4, ctypes.create_string_buffer(256)))


@guest
def calls_by_the_x32_numbers():
    return X86 and succeeded(call(0x40000000 + 41, None, 2, 2, 0))


@guest
def loads_a_program_into_the_kernel():
    return succeeded(call(321, 280, 0, ctypes.create_string_buffer(128), 128))


# --- processes


@guest
def kills_its_parent():
    os.kill(SETTINGS["parent"], signal.SIGKILL)
    return True


@guest
def stops_its_parent():
    os.kill(SETTINGS["parent"], signal.SIGSTOP)
    return True


@guest
def may_kill_everybody():
    os.kill(-1, 0)  # nothing is sent, but asked whether it may be
    return True


@guest
def kills_the_group_of_its_parent():
    os.killpg(SETTINGS["group"], signal.SIGKILL)
    return True


@guest
def kills_by_thread():
    return succeeded(call(200, 130, SETTINGS["parent"], 9))


@guest
def kills_by_thread_and_group():
    return succeeded(call(234, 131, SETTINGS["parent"], SETTINGS["parent"], 9))


@guest
def kills_by_descriptor():
    parent = call(434, 434, SETTINGS["parent"], 0)
    return parent >= 0 and succeeded(call(424, 424, parent, 9, 0, 0))


@guest
def queues_a_signal():
    return succeeded(call(129, 138, SETTINGS["parent"], 9, ctypes.create_string_buffer(128)))


@guest
def has_the_kernel_signal():
    ours, theirs = os.pipe()
    fcntl.fcntl(ours, fcntl.F_SETOWN, SETTINGS["parent"])
    fcntl.fcntl(ours, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(theirs, b"x")
    return True


@guest
def has_a_socket_signal():
    ours, theirs = socket.socketpair()
    fcntl.ioctl(ours, 0x8901, struct.pack("i", SETTINGS["parent"]))  # FIOSETOWN
    fcntl.ioctl(ours, 0x5452, struct.pack("i", 1))  # FIOASYNC
    theirs.send(b"x")
    return True


@guest
def limits_its_parent():
    import resource

    resource.prlimit(SETTINGS["parent"], resource.RLIMIT_CPU, (1, 1))
    return True


@guest
def slows_its_parent():
    os.setpriority(os.PRIO_PROCESS, SETTINGS["parent"], 19)
    return True


@guest
def pins_its_parent():
    os.sched_setaffinity(SETTINGS["parent"], {0})
    return True


@guest
def raises_its_limits():
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return True


@guest
def outlives_its_parent():
    return succeeded(LIBC.prctl(1, 0, 0, 0, 0))  # PR_SET_PDEATHSIG


@guest
def regains_capabilities():
    header, wanted = struct.pack("Ii", 0x20080522, 0), struct.pack("IIIIII", *[2**32 - 1] * 6)
    return succeeded(LIBC.capset(header, wanted))


@guest
def becomes_another_user():
    os.setuid(12345)
    return True


@guest
def leaves_its_session():
    os.setsid()
    return True


def leave_a_daemon(fork):
    child = fork()
    if child == 0:
        try:
            os.setsid()
            time.sleep(20)
        finally:
            os._exit(0)
    return child > 0


@guest
def forks_a_daemon():
    return leave_a_daemon(os.fork)


@guest
def forks_twice():
    child = os.fork()
    if child == 0:
        leave_a_daemon(os.fork)
        os._exit(0)
    return True


@guest
def forks_raw():
    return leave_a_daemon(lambda: call(57, None))


@guest
def clones():
    return leave_a_daemon(lambda: call(56, 220, signal.SIGCHLD, 0, 0, 0, 0))


@guest
def clones_by_the_new_call():
    arguments = struct.pack("8Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    return leave_a_daemon(lambda: call(435, 435, arguments, len(arguments)))


@guest
def forks_on_loan():
    return X86 and leave_a_daemon(lambda: call(58, None))  # vfork


@guest
def opens_a_terminal():
    import pty

    return pty.fork()[0] > 0


@guest
def starts_a_program():
    import subprocess

    return subprocess.run(["/bin/true"]).returncode == 0


@guest
def starts_a_shell():
    return os.system("sleep 20 &") == 0


@guest
def spawns():
    os.posix_spawn("/bin/sleep", ["sleep", "20"], {})
    return True


@guest
def uses_a_pool():
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(1) as pool:
        return pool.submit(int, "1").result(1) == 1


@guest
def becomes_a_program():
    os.execv("/bin/sleep", ["sleep", "20"])
    return True


@guest
def runs_a_file_in_memory():
    return succeeded(os.memfd_create("evil"))


@guest
def leaves_namespaces():
    return succeeded(call(272, 97, 0x10000000))  # unshare: of users


@guest
def leaves_shared_memory():
    return succeeded(call(29, 194, 0, 4096, 0o1600))


@guest
def leaves_a_queue():
    return succeeded(call(68, 186, 0, 0o1600))


@guest
def leaves_a_semaphore():
    from multiprocessing import Lock

    return bool(Lock())


@guest
def changes_its_filter():
    return succeeded(LIBC.prctl(22, 0, 0, 0, 0))


@guest
def measures_everybody():
    return succeeded(call(298, 241, ctypes.create_string_buffer(128), -1, 0, -1, 0))


@guest
def attacks_in_a_thread():
    done = []

    def attack():
        with suppress(OSError):
            done.append(overwrites(SETTINGS["canary"]))

    thread = threading.Thread(target=attack)
    thread.start()
    thread.join()
    return bool(done)


@guest
def attacks_out_of_a_finalizer():
    done = []

    class Last:
        def __del__(self):
            with suppress(OSError):
                done.append(overwrites(SETTINGS["canary"]))

    Last()
    return bool(done)


@guest
def imports_the_engine_and_patches_it():
    sys.path.insert(0, os.path.dirname(SETTINGS["package"]))
    import verifier.checker

    verifier.checker.check = None
    return False  # in a process of its own: it says nothing about ours
