#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a Debian package in this machine's own root, upgrades it and takes it out, where nothing of
# that lasts: an overlay in a mount namespace. Says after each step what DebianPackageIT asks about.
# As root: throwaway_root.sh PACKAGE.deb
set -eu

if [ "${2:-}" != inside ]; then
  exec unshare --mount "$0" "$1" inside
fi

# Of its own, for there are file systems that cannot be the upper half of an overlay.
mount -t tmpfs none /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay none -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
cp "$1" /mnt/root/package.deb

there() { # FILE
  if [ -e "/mnt/root$1" ]; then echo "$2: $1 is there"; else echo "$2: $1 is not there"; fi
}

tell() { # STEP
  there /usr/share/rdio-hdfs/rdio-hdfs.jar "$1"
  there /etc/default/rdio-agent "$1"
  echo "$1: user $(chroot /mnt/root getent passwd rdio)"
}

chroot /mnt/root dpkg --force-unsafe-io --install /package.deb >/dev/null
tell installed
echo "HADOOP=/opt/hadoop/bin/hadoop" >>/mnt/root/etc/default/rdio-agent
chroot /mnt/root dpkg --force-unsafe-io --install /package.deb >/dev/null
echo "upgraded: $(tail -n 1 /mnt/root/etc/default/rdio-agent)"
chroot /mnt/root dpkg --remove rdio-hdfs >/dev/null
tell removed
chroot /mnt/root dpkg --purge rdio-hdfs >/dev/null
tell purged
