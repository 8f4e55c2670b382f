"""Guests that look for secrets: in files, environments, memory and open descriptors."""

import ctypes
import os
import struct

from tests.mechanisms.guests.common import SETTINGS, call, guest, succeeded


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
