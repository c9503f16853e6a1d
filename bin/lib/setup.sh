# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What bin/rdio and bin/test share: what the machine needs, and how the build is called.
# Sourced; sets $top, the checkout's folder.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$(basename "$0"): $*"
  exit 1
}

# Runs a command as root: as it is, or by sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "root is needed for: $* (there is no sudo here; become root and run this again)"
  fi
}

# Looks where JDKs live for one of 17 or later with a compiler; sets JAVA_HOME and PATH to it.
find_jdk() {
  local home
  for home in "${JAVA_HOME:-}" "$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")" \
    /usr/lib/jvm/*; do
    if [ -x "$home/bin/javac" ] && [ -f "$home/include/jni.h" ] &&
      [ "$(jdk_version "$home")" -ge 17 ]; then
      export JAVA_HOME=$home PATH="$home/bin:$PATH"
      return 0
    fi
  done
  return 1
}

# The feature release of the JDK in a folder, 0 if it does not say.
jdk_version() {
  local version
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null)
  echo "${version:-0}"
}

# Adds to $missing the package PACKAGE, needed for WHY, unless there is a program TOOL.
need() { # TOOL PACKAGE WHY
  PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null || missing+=("$2|$3")
}

# The same for a C header.
need_header() { # HEADER PACKAGE WHY
  [ -f "/usr/include/$1" ] || missing+=("$2|$3")
}

# Debian has a package of its own for it, Ubuntu has it among the kernel's tools.
bpftool_package() {
  if grep -qs '^ID=ubuntu' /etc/os-release; then echo linux-tools-generic; else echo bpftool; fi
}

# Installs what is missing of what the build and a throwaway cluster need, for "testbed" also of what
# the virtual machine needs, for "dashboard" of what draws it, and for "test" also of what only the
# checks need.
install_missing() { # build|testbed|dashboard|test
  local missing=() row
  find_jdk || missing+=("openjdk-17-jdk-headless|Java 17 with its compiler and JNI headers")
  need gcc gcc "compiles the native device reader"
  need cmake cmake "builds the native device reader"
  need make make "builds the native device reader"
  need_header liburing.h liburing-dev "asynchronous reads of the native device reader"
  need clang clang "compiles the eBPF programs"
  need llvm-strip llvm "strips them"
  need_header bpf/libbpf.h libbpf-dev "loads them"
  need_header libelf.h libelf-dev "reads them"
  need_header zlib.h zlib1g-dev "is needed by libelf"
  need bpftool "$(bpftool_package)" "embeds them"
  need curl curl "fetches Maven"
  need unzip unzip "unpacks Maven"
  need losetup util-linux "loop devices of the demo and the tests"
  need fincore util-linux "tells whether their page cache is cold"
  need mount mount "mounts their file systems"
  need mkfs.ext4 e2fsprogs "makes their ext4"
  need mkfs.xfs xfsprogs "makes their xfs"
  if [ "$1" = test ]; then
    need shellcheck shellcheck "checks the shell scripts"
    need python3 python3 "runs a test's process without io_uring"
    python3 -c 'import ensurepip' 2>/dev/null || missing+=("python3-venv|makes the environments of SparkIT, LibHdfsIT and ContainersIT")
    need ps procps "stops processes in tests"
    need spin spin "checks the model of the lease protocol"
    need patchelf patchelf "settles Java runtimes of other releases"
    need nft nftables "has hosts die for DeadHostIT"
    need xz xz-utils "reads the index of their archive"
    need dpkg-deb dpkg "looks into the Debian package"
    need lintian lintian "checks it"
    if [ "$(uname -m)" = x86_64 ]; then
      need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu "compiles the native libraries for linux-aarch64"
      [ -f /usr/aarch64-linux-gnu/include/stdio.h ] ||
        missing+=("libc6-dev-arm64-cross|the C library of linux-aarch64")
      need qemu-aarch64 qemu-user "runs their tests"
    fi
  fi
  if [ "$1" = dashboard ]; then
    need python3 python3 "asks Prometheus and draws"
    python3 -c 'import ensurepip' 2>/dev/null || missing+=("python3-venv|makes an environment for matplotlib")
    need dpkg dpkg "unpacks Prometheus"
  fi
  if [ "$1" = testbed ] || [ "$1" = test ]; then
    need qemu-system-x86_64 qemu-system-x86 "runs the NVMe/TCP test bed"
    need modprobe kmod "finds the modules of its kernel"
    need busybox busybox-static "is all that its initramfs has"
    need cpio cpio "packs its initramfs"
    need ip iproute2 "joins its hosts"
    need sfdisk fdisk "makes its partition table"
  fi
  [ ${#missing[@]} -gt 0 ] || return 0

  say "Missing on this machine:"
  for row in "${missing[@]}"; do say "  ${row%%|*} (${row#*|})"; done
  command -v apt-get >/dev/null ||
    die "this is not a Debian or Ubuntu: install the packages above with your package manager (names may differ) and run this again"
  say "Installing them with apt-get..."
  patiently "reading the lists of packages" as_root apt-get -qq update
  patiently installing as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install -y --no-install-recommends ca-certificates "${missing[@]%%|*}" >/dev/null
  find_jdk || die "no JDK 17 found after installing one; set JAVA_HOME to it"
}

# The jar that users install; nothing if it is not built yet.
rdio_jar() {
  find "$top/hdfs-plugin/target" -maxdepth 1 -name 'rdio-hdfs-*.jar' ! -name '*-unshaded.jar' \
    2>/dev/null | head -n 1 || true
}

# What only a checkout runs, behind that jar: throwaway clusters, the demo, the test bed.
checkout_jar() {
  find "$top/hdfs-plugin/target" -maxdepth 1 -name 'rdio-checkout-*.jar' 2>/dev/null | head -n 1 || true
}

# Whether a file is missing, or older than the sources of any of these modules.
is_stale() { # FILE MODULE...
  local file=$1 module
  shift
  [ -s "$file" ] || return 0
  for module in "$@"; do
    [ -z "$(find "$top/pom.xml" "$top/$module"/{pom.xml,src} -newer "$file" -type f \
      -not -regex '.*/src/\(test\|integration\|stress\|lincheck\|fuzz\|property\|upstream\)/.*' \
      -print -quit)" ] || return 0
  done
  return 1
}

# Builds a module and what it depends on.
build() { # MODULE
  say "Building (the first time this fetches Maven and the dependencies: some minutes)..."
  patiently building package_module "$1" || die "the build failed: see above"
}

package_module() { # MODULE
  cd "$top" && ./mvnw -q -pl "$1" -am -DskipTests -Dlint.skip=true package >&2
}

# Runs a command, and says each minute that it is still at work: nobody shall take a long silence for
# a hang. In a subshell, so that the saying ends however the command does.
patiently() { # WHAT COMMAND...
  local ticker status=0
  say_each_minute "$1" &
  ticker=$!
  ("${@:2}") || status=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  return "$status"
}

say_each_minute() { # WHAT
  local minutes=0 nap
  trap 'kill "${nap:-}" 2>/dev/null; exit 0' TERM
  while true; do
    sleep 60 &
    nap=$!
    wait "$nap"
    # Ctrl-C ends the script, but nothing that it has in the background.
    kill -0 "$$" 2>/dev/null || exit 0
    minutes=$((minutes + 1))
    say "  still $1 after $minutes min"
  done
}

benchmarks_jar() {
  find "$top/benchmarks/target" -maxdepth 1 -name 'rdio-benchmarks-*.jar' 2>/dev/null |
    head -n 1 || true
}

# Builds both jars unless they are there and newer than every source.
build_if_stale() {
  if is_stale "$(rdio_jar)" native rdio-core hdfs-plugin ||
    ! [ -s "$(checkout_jar)" ] ||
    ! [ -s "$top/hdfs-plugin/target/hadoop-3.5.classpath" ]; then
    build hdfs-plugin
    # A jar that comes out the same keeps its old time.
    touch "$(rdio_jar)" "$(checkout_jar)"
  fi
}

# The same for the benchmarks, and these modules if they need them; sets $benchmarks to their class
# path.
build_benchmarks_if_stale() { # [MODULE...]
  if is_stale "$(benchmarks_jar)" s3fifo-cache benchmarks "$@"; then
    build benchmarks
    touch "$(benchmarks_jar)" # as above
  fi
  # shellcheck disable=SC2034 # used by whoever sources this
  benchmarks="$top/benchmarks/target/classes:$top/benchmarks/target/lib/*"
}
