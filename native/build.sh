#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds librdio.so out of tree. Called by Maven: build.sh library|tests|check TARGET_DIR JAVA_HOME
set -eu

goal=$1
target=$2
java_home=$3
source=$(cd "$(dirname "$0")" && pwd)

for tool in cmake make gcc; do
  command -v "$tool" >/dev/null || {
    echo "RDIO's native library needs cmake, make and gcc to build; $tool is not on the PATH." >&2
    echo "Debian, Ubuntu: apt-get install cmake make gcc.  Fedora, RHEL: dnf install cmake make gcc" >&2
    exit 1
  }
done
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

case $goal in
  library)
    quietly cmake -S "$source" -B "$target/cmake" -DCMAKE_C_COMPILER=gcc \
      -DRDIO_JAVA_HOME="$java_home" -DRDIO_RESOURCES="$target/classes"
    quietly cmake --build "$target/cmake"
    ;;
  tests) quietly cmake --build "$target/cmake" --target rdio_tests ;;
  check) quietly ctest --test-dir "$target/cmake" --output-on-failure --no-tests=error ;;
  *)
    echo "unknown goal: $goal" >&2
    exit 1
    ;;
esac
