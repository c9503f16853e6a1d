# SPDX-License-Identifier: Apache-2.0
"""without_io_uring.py [--nor-io-submit] COMMAND...

Runs it with io_uring refused by seccomp, as containers do; with --nor-io-submit also the system
calls that came before.
"""

import ctypes
import os
import struct
import sys

IO_URING = (425, 426, 427)  # setup, enter, register: on every architecture
IO_SETUP = {"x86_64": 206, "aarch64": 0}
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, EPERM = 0x7FFF0000, 0x00050001


def instruction(code, true, false, value):
    return struct.pack("HBBI", code, true, false, value)


def program(refused):
    code = [instruction(LOAD, 0, 0, 0)]  # the system call's number
    for left, call in zip(range(len(refused), 0, -1), refused):
        code.append(instruction(IF_EQUAL, left, 0, call))  # over the others, and over ALLOW
    code.append(instruction(RETURN, 0, 0, ALLOW))
    code.append(instruction(RETURN, 0, 0, EPERM))
    return b"".join(code)


command = sys.argv[1:]
calls = list(IO_URING)
if command[0] == "--nor-io-submit":
    command = command[1:]
    calls.append(IO_SETUP[os.uname().machine])
bytes_ = program(calls)
kept = ctypes.create_string_buffer(bytes_, len(bytes_))
filter_ = struct.pack("HxxxxxxP", len(bytes_) // 8, ctypes.addressof(kept))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_char_p(filter_), 0, 0) != 0:
    sys.exit(f"no seccomp filter: {os.strerror(ctypes.get_errno())}")
os.execvp(command[0], command)
