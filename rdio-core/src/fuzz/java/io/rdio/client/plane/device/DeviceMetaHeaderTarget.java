// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import java.util.List;

/** For Jazzer: the bytes are a meta file as it is on the device. */
public final class DeviceMetaHeaderTarget {
  private DeviceMetaHeaderTarget() {}

  public static List<byte[]> seeds() {
    return DeviceMetaHeaderFuzzTest.WHOLE;
  }

  public static void fuzzerTestOneInput(byte[] data) {
    DeviceMetaHeaderFuzzTest.check(data);
  }
}
