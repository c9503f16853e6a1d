# SPDX-License-Identifier: Apache-2.0
# sandbox.sh COMMAND...: runs it as a container would: as user nobody without a capability, with no
# device but null, zero and random, and with a seccomp filter that knows no io_uring. Needs root.
set -eu
if [ "${RDIO_SANDBOX:-}" != inside ]; then
  RDIO_SANDBOX=inside exec unshare --mount --propagation private bash "$0" "$@"
fi
# /root may be closed to others, and has what Maven downloaded: open here only.
layer=$(mktemp -d)
mount -t tmpfs tmpfs "$layer"
mkdir "$layer/upper" "$layer/work"
mount -t overlay -o "lowerdir=$HOME,upperdir=$layer/upper,workdir=$layer/work" overlay "$HOME"
chmod a+x "$HOME"
mount -t tmpfs -o mode=755 tmpfs /dev
mknod -m 666 /dev/null c 1 3
mknod -m 666 /dev/zero c 1 5
mknod -m 666 /dev/random c 1 8
mknod -m 666 /dev/urandom c 1 9
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
  --no-new-privs python3 "$(dirname "$0")/without_io_uring.py" "$@"
