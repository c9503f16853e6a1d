#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copies the sources of a checkout into a new folder and builds the release there. Writes the checksum and
# the name of each file that is handed out to its standard output, Maven's log to FOLDER.log.
# build_copy.sh CHECKOUT FOLDER UMASK
set -eu

checkout=$1 folder=$2
umask "$3"
mkdir -p "$folder"
# As a checkout with this umask has them, and without what was built here.
tar -C "$checkout" --exclude=./.git --exclude=target -cf - . |
  tar -C "$folder" --no-same-owner --no-same-permissions -xf -
cd "$folder"
./mvnw -q -Pdist -pl hdfs-plugin -am -DskipTests -Dlint.skip=true package >"$folder.log" 2>&1 || {
  tail -n 50 "$folder.log" >&2
  exit 1
}
cd hdfs-plugin/target
sha256sum rdio-hdfs-*[0-9].jar rdio-hdfs-*.tar.gz rdio-hdfs_*.deb rdio-hdfs-*.cdx.json
