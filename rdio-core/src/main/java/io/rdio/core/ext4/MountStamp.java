// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

/**
 * What the superblock says of the last time that the file system was mounted or checked. It is
 * written there before anything else of that mount. Two mounts differ by the count, or by a time
 * where e2fsck has set the count back.
 *
 * @param mountedSeconds since 1970
 * @param mounts since it was checked
 * @param checkedSeconds since 1970
 */
public record MountStamp(long mountedSeconds, int mounts, long checkedSeconds) {}
