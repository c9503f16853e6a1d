# SPDX-License-Identifier: Apache-2.0
# sandbox.sh COMMAND...: runs it as a container would: as user nobody without a capability, with no
# device but null, zero and random, and with a seccomp filter that knows no io_uring. Needs root.
set -eu
if [ "${RDIO_SANDBOX:-}" != inside ]; then
  RDIO_SANDBOX=inside exec unshare --mount --propagation private bash "$0" "$@"
fi

# Folders on the way to the class path may be closed to others (/root mostly is): open in here only.
declare -A folders
IFS=: read -ra entries <<<"${CLASSPATH:-}"
for entry in "${entries[@]}" "$(realpath "$0")"; do
  while [ "${entry#/}" != "$entry" ]; do
    folders[$entry]=1
    entry=${entry%/*}
  done
done
mount -t tmpfs tmpfs /mnt
opened=
find "${!folders[@]}" -maxdepth 0 -type d ! -perm -o=rx 2>/dev/null | sort | while read -r folder; do
  if [ -z "$opened" ] || [ "${folder#"$opened"/}" = "$folder" ]; then
    layer=$(mktemp -d -p /mnt)
    mkdir "$layer/upper" "$layer/work"
    mount -t overlay -o "lowerdir=$folder,upperdir=$layer/upper,workdir=$layer/work" overlay "$folder"
    opened=$folder
  fi
  chmod a+rx "$folder"
done

mount -t tmpfs -o mode=755 tmpfs /dev
mknod -m 666 /dev/null c 1 3
mknod -m 666 /dev/zero c 1 5
mknod -m 666 /dev/random c 1 8
mknod -m 666 /dev/urandom c 1 9
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
  --no-new-privs python3 "$(dirname "$0")/without_io_uring.py" "$@"
