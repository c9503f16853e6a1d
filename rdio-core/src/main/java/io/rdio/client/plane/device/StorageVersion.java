// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.StringReader;
import java.util.Optional;
import java.util.Properties;

/**
 * What a DataNode's storage says of itself in its file {@code current/VERSION}. Immutable.
 *
 * @param layoutVersion of HDFS; newer ones are lower
 */
public record StorageVersion(String storageId, int layoutVersion) {
  /** Bytes that the file has at most. */
  public static final int MAX_BYTES = 4096;

  /** Of HDFS, with 32 by 32 directories for blocks; newer ones are lower. */
  private static final int OLDEST_LAYOUT = -57;

  /** By the file's bytes; empty for a file that has the name and is something else. */
  public static Optional<StorageVersion> parse(byte[] bytes) {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(new String(bytes, ISO_8859_1)));
      String id = properties.getProperty("storageID", "");
      int layout = Integer.parseInt(properties.getProperty("layoutVersion", "").trim());
      boolean isDataNode = properties.getProperty("storageType", "").equals("DATA_NODE");
      return isDataNode && !id.isEmpty()
          ? Optional.of(new StorageVersion(id, layout))
          : Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Whether its blocks are where {@link BlockPath} says. */
  public boolean isSupported() {
    return isSupported(layoutVersion);
  }

  static boolean isSupported(int layoutVersion) {
    return layoutVersion <= OLDEST_LAYOUT;
  }
}
