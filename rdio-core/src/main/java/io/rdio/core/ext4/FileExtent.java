// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run of a file's blocks that lies in one piece on the device. All counts are blocks of the file
 * system.
 *
 * @param logical where in the file, at least 0
 * @param physical where on the device, above 0; all of the run is inside the file system
 * @param length at least 1
 * @param unwritten whether it is only reserved: the file has zeros there, whatever the device has
 */
public record FileExtent(long logical, long physical, long length, boolean unwritten) {
  /** The first block of the file behind it. */
  public long end() {
    return logical + length;
  }

  /** Where one of its blocks lies on the device. */
  public long physicalOf(long block) {
    return physical + block - logical;
  }

  /**
   * The extent that has a block of the file; null where the file has a hole there.
   *
   * @param extents in the file's order
   */
  public static @Nullable FileExtent find(List<FileExtent> extents, long block) {
    int low = 0;
    int high = extents.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (extents.get(middle).end() <= block) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < extents.size() && extents.get(low).logical() <= block ? extents.get(low) : null;
  }
}
