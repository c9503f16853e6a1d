// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.wire.proto.Extents;

/**
 * Extents on the wire, in bytes of the device. What is read of them is believed only if it adds up.
 */
public final class ExtentCodec {
  /** No file system has smaller blocks. */
  private static final int MIN_EXTENT_BYTES = 512;

  private ExtentCodec() {}

  /** The message for a list. */
  public static Extents encode(ExtentList list) {
    Extents.Builder extents = Extents.newBuilder();
    for (int i = 0; i < list.count(); i++) {
      extents.addPhysical(list.physical(i)).addLength(list.end(i) - list.start(i));
    }
    return extents.build();
  }

  /**
   * The list in a message.
   *
   * @param covers bytes of the file that they must cover at least
   * @param device that they must lie on
   * @throws IllegalArgumentException if they are no extents of such a file, saying what is wrong
   */
  public static ExtentList decode(Extents extents, long covers, DeviceIdentity device) {
    int count = extents.getPhysicalCount();
    Sane.check(count <= covers / MIN_EXTENT_BYTES + 1, "number of extents", count);
    long[] physical = new long[count];
    long[] length = new long[extents.getLengthCount()];
    for (int i = 0; i < physical.length; i++) {
      physical[i] = extents.getPhysical(i);
    }
    for (int i = 0; i < length.length; i++) {
      length[i] = extents.getLength(i);
    }
    ExtentList list = ExtentList.of(physical, length);
    Sane.check(list.length() >= covers, "bytes covered by extents", list.length());
    Sane.check(!list.overlaps(), "number of extents, some of which overlap,", list.count());
    Sane.check(list.physicalEnd() <= device.sizeBytes(), "end of extents", list.physicalEnd());
    return list;
  }
}
