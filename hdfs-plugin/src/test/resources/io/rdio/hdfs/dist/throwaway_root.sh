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

# Writes down what it is asked to do: the maintainer's scripts take it for that of a running systemd.
mkdir -p /mnt/root/run/systemd/system
rm -f /mnt/root/usr/bin/systemctl
cat >/mnt/root/usr/bin/systemctl <<'FAKE'
#!/bin/sh
echo "$*" >>/asked
FAKE
chmod 0755 /mnt/root/usr/bin/systemctl

there() { # FILE
  if [ -e "/mnt/root$1" ]; then echo "$2: $1 is there"; else echo "$2: $1 is not there"; fi
}

# What systemctl was asked since the last time.
asked() { # STEP
  [ ! -e /mnt/root/asked ] || sed "s/^/$1: systemctl /" /mnt/root/asked
  rm -f /mnt/root/asked
}

tell() { # STEP
  there /usr/share/rdio-hdfs/rdio-hdfs.jar "$1"
  there /etc/default/rdio-agent "$1"
  asked "$1"
  echo "$1: user $(chroot /mnt/root getent passwd rdio)"
}

chroot /mnt/root dpkg --force-unsafe-io --install /package.deb >/dev/null
tell installed
echo "HADOOP=/opt/hadoop/bin/hadoop" >>/mnt/root/etc/default/rdio-agent
chroot /mnt/root dpkg --force-unsafe-io --install /package.deb >/dev/null
asked upgraded
echo "upgraded: $(tail -n 1 /mnt/root/etc/default/rdio-agent)"
chroot /mnt/root dpkg --remove rdio-hdfs >/dev/null
tell removed
chroot /mnt/root dpkg --purge rdio-hdfs >/dev/null
tell purged
