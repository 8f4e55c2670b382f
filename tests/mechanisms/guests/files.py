"""Guests that write, remove, mark or lock what is not theirs."""

import fcntl
import os
import struct

from tests.mechanisms.guests.common import SETTINGS, X86, call, guest, overwrites, succeeded


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
