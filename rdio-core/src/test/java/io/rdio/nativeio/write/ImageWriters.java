// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio.write;

import java.io.IOException;

/** Opens images of devices in files for writing, which the library takes from tests alone. */
public final class ImageWriters {
  private ImageWriters() {}

  /** As {@link DeviceWriter#open(String)}, and a regular file will do. */
  public static DeviceWriter open(String path) throws IOException {
    return DeviceWriter.open(path, WriteCalls.IMAGE);
  }
}
