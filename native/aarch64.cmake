# SPDX-License-Identifier: Apache-2.0
# Builds for linux-aarch64 on another machine, and runs the tests there by qemu-user. RDIO_SYSROOT has the
# libraries that are linked, and their headers: bin/lib/aarch64 makes it. The C library is the compiler's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RDIO_SYSROOT)

set(CMAKE_FIND_ROOT_PATH ${RDIO_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(libraries ${RDIO_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${RDIO_SYSROOT}/usr/include)
# Canonical, a header would have the path behind a link in RDIO_SYSROOT, which the map does not know.
set(CMAKE_C_FLAGS_INIT "-ffile-prefix-map=${RDIO_SYSROOT}=/rdio/sysroot -fno-canonical-system-headers")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-L${libraries}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${libraries} -Wl,-rpath-link,${libraries}")

# Leaks are looked for by ptrace, which the emulator has not: the other machine's tests look for them.
set(CMAKE_CROSSCOMPILING_EMULATOR
    env ASAN_OPTIONS=detect_leaks=0 RDIO_EMULATED=1
    qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=${libraries}:${RDIO_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE})
