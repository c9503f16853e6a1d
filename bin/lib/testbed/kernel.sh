# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The test bed's kernel and its initramfs. Sourced by "run"; needs say and die.

# What the guest loads, in this order; each with what it depends on.
guest_modules=(virtio_pci 9pnet_virtio 9p overlay nvme_tcp nvmet nvmet_tcp loop ext4 xfs configfs
  crc32c_intel veth)

# The package that apt has as the newest kernel of Debian or Ubuntu.
newest_kernel() {
  apt-cache depends linux-image-amd64 linux-image-generic 2>/dev/null |
    sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}

# Downloads that package into a folder, unless it is there, and sets $kernel and $modules.
fetch_kernel() { # FOLDER
  local package version unpacked extra
  command -v apt-get >/dev/null ||
    die "this is not a Debian or Ubuntu: name a kernel with --kernel /boot/vmlinuz-V and --modules /lib/modules/V"
  package=$(newest_kernel)
  if [ -z "$package" ] || ! [ -f "$1/$package/complete" ]; then
    # Lists that are old name packages that are gone.
    [ -n "$(find /var/lib/apt/lists -name '*Packages*' -mtime -1 -print -quit)" ] ||
      as_root apt-get -qq update
    package=$(newest_kernel)
  fi
  [ -n "$package" ] || die "apt knows neither linux-image-amd64 nor linux-image-generic: use --kernel and --modules"
  version=${package#linux-image-}
  unpacked=$1/$package
  kernel=$unpacked/boot/vmlinuz-$version
  modules=$unpacked/lib/modules/$version
  [ ! -f "$unpacked/complete" ] || return 0
  say "Fetching $package with apt..."
  rm -rf "$unpacked"
  mkdir -p "$unpacked/download"
  # Ubuntu has the modules in packages of their own.
  (cd "$unpacked/download" &&
    apt-get -qq download "$package" &&
    for extra in "linux-modules-$version" "linux-modules-extra-$version"; do
      if apt-cache show "$extra" >/dev/null 2>&1; then apt-get -qq download "$extra"; fi
    done) 2>"$unpacked/apt.log" || die "apt-get download $package failed: $(<"$unpacked/apt.log")"
  for package in "$unpacked"/download/*.deb; do dpkg -x "$package" "$unpacked"; done
  rm -rf "$unpacked/download" "${unpacked:?}/usr"
  touch "$unpacked/complete"
}

# Packs busybox, the modules and init.
build_initramfs() { # KERNEL'S-MODULES INIT FILE
  local modules=$1 base version tree=$run/initramfs name path
  version=$(basename "$modules")
  base=$(cd "$modules/../../.." && pwd)
  [ -f "$modules/modules.dep" ] || PATH=$PATH:/usr/sbin:/sbin depmod -b "$base" "$version"
  mkdir -p "$tree/bin" "$tree/lib/modules" "$tree"/{proc,sys,dev}
  cp "$(command -v busybox)" "$tree/bin/busybox"
  cp "$2" "$tree/init"
  chmod +x "$tree/init"
  for name in "${guest_modules[@]}"; do
    # A builtin has nothing to load.
    PATH=$PATH:/usr/sbin:/sbin modprobe -d "$base" -S "$version" --show-depends "$name" |
      sed -n 's/^insmod \([^ ]*\).*/\1/p' || die "the kernel $version has no module $name"
  done | awk '!seen[$0]++' | while read -r path; do
    name=$(basename "$path")
    case $name in
      *.ko) cp "$path" "$tree/lib/modules/$name" ;;
      *.ko.xz) xz -dc "$path" >"$tree/lib/modules/${name%.xz}" ;;
      *.ko.zst) zstd -qdc "$path" >"$tree/lib/modules/${name%.zst}" ;;
      *.ko.gz) gzip -dc "$path" >"$tree/lib/modules/${name%.gz}" ;;
    esac
    echo "${name%%.ko*}.ko" >>"$tree/lib/modules/order"
  done
  (cd "$tree" && find . | cpio --quiet -o -H newc | gzip -1) >"$3"
  rm -rf "$tree"
}
