# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The test bed's kernel and its initramfs. Sourced by "run"; needs say and die.

# What the guest loads, in this order; each with what it depends on.
guest_modules=(virtio_pci 9pnet_virtio 9p overlay nvme_tcp nvmet nvmet_tcp loop ext4 xfs configfs
  veth)

# The same where the kernel has it: newer ones need no module for the first, and beds of one DataNode no
# bridge.
guest_modules_if_there=(crc32c_intel bridge)

# Where the kernel comes from.
apt_lists=/var/lib/apt/lists
apt_update=(as_root apt-get -qq update)
backports=trixie-backports

# For the kernel of Debian's backports, whose target takes reservations: lists and downloads of its
# own, so that nothing of the host's changes.
use_backports() { # FOLDER
  local folder=$1/apt-$backports keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -f "$keyring" ] ||
    die "$keyring is not there: install debian-archive-keyring, or name a kernel from 6.13 on with --kernel and --modules"
  mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$folder/parts"
  echo "deb [arch=amd64 signed-by=$keyring] http://deb.debian.org/debian $backports main" >"$folder/sources.list"
  cat >"$folder/apt.conf" <<END
Dir::Etc::sourcelist "$folder/sources.list";
Dir::Etc::sourceparts "$folder/parts";
Dir::Etc::preferences "$folder/preferences";
Dir::Etc::preferencesparts "$folder/parts";
Dir::State::lists "$folder/lists";
Dir::State::status "/dev/null";
Dir::Cache::archives "$folder/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
  export APT_CONFIG=$folder/apt.conf
  apt_lists=$folder/lists
  apt_update=(apt-get -qq update)
}

# The package that apt has as the newest kernel of Debian or Ubuntu.
newest_kernel() {
  apt-cache depends linux-image-amd64 linux-image-generic 2>/dev/null |
    sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1 || true
}

# Downloads that package into a folder, unless it is there, and sets $kernel and $modules.
fetch_kernel() { # FOLDER
  local package version unpacked extra
  command -v apt-get >/dev/null ||
    die "this is not a Debian or Ubuntu: name a kernel with --kernel /boot/vmlinuz-V and --modules /lib/modules/V"
  package=$(newest_kernel)
  if [ -z "$package" ] || ! [ -f "$1/$package/complete" ]; then
    # Lists that are old name packages that are gone.
    [ -n "$(find "$apt_lists" -name '*Packages*' -mtime -1 -print -quit)" ] ||
      "${apt_update[@]}"
    package=$(newest_kernel)
  fi
  [ -n "$package" ] || die "apt knows neither linux-image-amd64 nor linux-image-generic: use --kernel and --modules"
  version=${package#linux-image-}
  unpacked=$1/$package
  kernel=$unpacked/boot/vmlinuz-$version
  modules=$unpacked/lib/modules/$version
  if [ -f "$unpacked/complete" ]; then
    [ -f "$kernel" ] || kernel=$modules/vmlinuz
    return 0
  fi
  say "Fetching $package with apt..."
  rm -rf "$unpacked"
  mkdir -p "$unpacked/download"
  # Ubuntu has the modules in packages of their own, Debian from 7.0 on each part.
  (cd "$unpacked/download" &&
    apt-get -qq download "$package" &&
    for extra in linux-{modules,modules-extra,binary,base}-"$version"; do
      if apt-cache show "$extra" >/dev/null 2>&1; then apt-get -qq download "$extra"; fi
    done) 2>"$unpacked/apt.log" || die "apt-get download $package failed: $(<"$unpacked/apt.log")"
  for package in "$unpacked"/download/*.deb; do dpkg -x "$package" "$unpacked"; done
  [ -d "$modules" ] || { mkdir -p "$unpacked/lib" && mv "$unpacked/usr/lib/modules" "$unpacked/lib/"; }
  rm -rf "$unpacked/download" "${unpacked:?}/usr"
  [ -f "$kernel" ] || kernel=$modules/vmlinuz
  touch "$unpacked/complete"
}

# A module with what it depends on; a builtin has nothing to load.
module_files() { # BASE VERSION NAME
  PATH=$PATH:/usr/sbin:/sbin modprobe -d "$1" -S "$2" --show-depends "$3" |
    sed -n 's/^insmod \([^ ]*\).*/\1/p'
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
  {
    for name in "${guest_modules[@]}"; do
      module_files "$base" "$version" "$name" || die "the kernel $version has no module $name"
    done
    for name in "${guest_modules_if_there[@]}"; do
      module_files "$base" "$version" "$name" 2>/dev/null || true
    done
  } | awk '!seen[$0]++' | while read -r path; do
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
