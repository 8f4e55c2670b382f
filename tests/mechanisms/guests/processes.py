"""Guests that signal, start, limit or leave processes, or change what they may do themselves."""

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

from tests.mechanisms.guests.common import LIBC, SETTINGS, X86, call, guest, overwrites, succeeded


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
