# SPDX-License-Identifier: Apache-2.0
"""without_io_uring.py COMMAND...: runs it with io_uring refused by seccomp, as containers do."""

import ctypes
import os
import struct
import sys

IO_URING_SETUP, IO_URING_REGISTER = 425, 427  # on every architecture
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
ALLOW, EPERM = 0x7FFF0000, 0x00050001


def instruction(code, true, false, value):
    return struct.pack("HBBI", code, true, false, value)


program = b"".join(
    (
        instruction(0x20, 0, 0, 0),  # load the system call's number
        instruction(0x35, 0, 2, IO_URING_SETUP),  # below: allow
        instruction(0x25, 1, 0, IO_URING_REGISTER),  # above: allow
        instruction(0x06, 0, 0, EPERM),
        instruction(0x06, 0, 0, ALLOW),
    )
)
kept = ctypes.create_string_buffer(program, len(program))
filter_ = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(kept))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_char_p(filter_), 0, 0) != 0:
    sys.exit(f"no seccomp filter: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[1], sys.argv[1:])
