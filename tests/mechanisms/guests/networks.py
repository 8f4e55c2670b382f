"""Guests that reach out: by every kind of socket, and around the call that makes them."""

import ctypes
import socket

from tests.mechanisms.guests.common import SETTINGS, X86, call, guest, succeeded


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
