#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds librdio.so, librdio-write.so and librdio_bpf.so out of tree. Called by Maven: build.sh library|tests|check TARGET_DIR JAVA_HOME
set -eu

goal=$1
target=$2
java_home=$3
source=$(cd "$(dirname "$0")" && pwd)

PATH=$PATH:/usr/sbin:/sbin

for tool in cmake make gcc clang llvm-strip; do
  command -v "$tool" >/dev/null || {
    echo "RDIO's native libraries need cmake, make, gcc and, for eBPF, clang and llvm-strip to build; $tool is not on the PATH." >&2
    echo "Debian, Ubuntu: apt-get install cmake make gcc clang llvm.  Fedora, RHEL: dnf install cmake make gcc clang llvm" >&2
    exit 1
  }
done
for header in bpf/libbpf.h libelf.h zlib.h; do
  echo "#include <$header>" | gcc -E - >/dev/null 2>&1 || {
    echo "RDIO's eBPF library needs $header and the library that belongs to it." >&2
    echo "Debian, Ubuntu: apt-get install libbpf-dev libelf-dev zlib1g-dev" >&2
    echo "Fedora, RHEL: dnf install libbpf-static libbpf-devel elfutils-libelf-devel zlib-devel" >&2
    exit 1
  }
done

# Ubuntu's /usr/sbin/bpftool looks for the running kernel's and may find none; any of them serves.
find_bpftool() {
  for candidate in bpftool /usr/lib/linux-tools/*/bpftool /usr/lib/linux-tools-*/bpftool; do
    if "$candidate" version >/dev/null 2>&1; then
      command -v "$candidate"
      return 0
    fi
  done
  echo "RDIO's eBPF library needs bpftool to build." >&2
  echo "Debian, Fedora: install the package bpftool.  Ubuntu: apt-get install linux-tools-generic" >&2
  return 1
}
bpftool=$(find_bpftool)

[ -f "$java_home/include/jni.h" ] || {
  echo "no include/jni.h in $java_home: set JAVA_HOME to a JDK (not a JRE), 17 or newer" >&2
  exit 1
}

mkdir -p "$target"

# Says nothing unless it fails.
quietly() {
  "$@" >"$target/build.log" 2>&1 || {
    cat "$target/build.log" >&2
    exit 1
  }
}

# The other architecture that one jar is for; bin/lib/aarch64 fetches what it is linked with.
sysroot=${RDIO_AARCH64_SYSROOT:-${HOME:-/nonexistent}/.cache/rdio/aarch64}
crossed=META-INF/native/linux-aarch64

# Why this machine cannot build for aarch64; nothing if it can, or need not.
why_not_crossed() {
  if ! command -v aarch64-linux-gnu-gcc >/dev/null || [ ! -f /usr/aarch64-linux-gnu/include/stdio.h ]; then
    echo "install gcc-aarch64-linux-gnu and libc6-dev-arm64-cross for it"
  elif [ ! -f "$sysroot/usr/lib/aarch64-linux-gnu/liburing.a" ]; then
    echo "bin/lib/aarch64 $sysroot fetches what is linked with it"
  fi
}

# Whether there is a build for aarch64 beside this machine's own.
is_crossed() { [ "$(uname -m)" != aarch64 ] && [ -z "$(why_not_crossed)" ]; }

# Goes on without it; not where everything has to be tested.
leave_out() { # WHAT CURE
  echo "$1: $2." >&2
  [ -z "${RDIO_REQUIRE_ALL:-}" ] || exit 1
}

configure() { # FOLDER OPTION...
  folder=$1
  shift
  quietly cmake -S "$source" -B "$target/$folder" -DRDIO_JAVA_HOME="$java_home" \
    -DRDIO_RESOURCES="$target/classes" -DRDIO_BPFTOOL="$bpftool" "$@"
  quietly cmake --build "$target/$folder" --parallel "$(nproc)"
}

case $goal in
  library)
    configure cmake -DCMAKE_C_COMPILER=gcc
    if is_crossed; then
      configure cmake-aarch64 -DCMAKE_TOOLCHAIN_FILE="$source/aarch64.cmake" -DRDIO_SYSROOT="$sysroot"
    elif [ "$(uname -m)" != aarch64 ]; then
      rm -rf "$target/cmake-aarch64" "${target:?}/classes/$crossed"
      leave_out "The jar is for linux-$(uname -m) only, without linux-aarch64" "$(why_not_crossed)"
    fi
    ;;
  tests)
    quietly cmake --build "$target/cmake" --parallel "$(nproc)" --target rdio_tests
    ! is_crossed || quietly cmake --build "$target/cmake-aarch64" --parallel "$(nproc)" --target rdio_tests
    ;;
  check)
    quietly ctest --test-dir "$target/cmake" --output-on-failure --no-tests=error
    if ! is_crossed; then
      :
    elif command -v qemu-aarch64 >/dev/null; then
      quietly ctest --test-dir "$target/cmake-aarch64" --output-on-failure --no-tests=error
    else
      leave_out "The C tests did not run on linux-aarch64" "install qemu-user for it"
    fi
    ;;
  *)
    echo "unknown goal: $goal" >&2
    exit 1
    ;;
esac
