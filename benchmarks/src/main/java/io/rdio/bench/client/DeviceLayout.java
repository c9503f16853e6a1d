// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;

/**
 * Where files lie on a device.
 *
 * @param device its node
 * @param files by their names in HDFS
 */
public record DeviceLayout(String device, Map<String, Extents> files) {
  public DeviceLayout {
    files = Map.copyOf(files);
  }

  /**
   * A file's extents.
   *
   * @param length of the file in bytes
   * @param list in the file's order and without holes; it may end up to 4095 bytes behind the file
   */
  public record Extents(long length, List<Extent> list) {
    public Extents {
      list = List.copyOf(list);
    }
  }

  /**
   * A range of the device that holds a range of a file.
   *
   * @param onDevice byte offset at which it starts on the device
   * @param start byte offset at which it starts in the file
   * @param end byte offset in the file just behind it
   */
  public record Extent(long onDevice, long start, long end) {
    /** Device offset of an offset in the file that lies in this extent. */
    long onDeviceOf(long position) {
      return onDevice + position - start;
    }
  }

  /** Writes it to a file for a client JVM. */
  public void write(Path file) throws IOException {
    Files.writeString(file, new JsonSerialization<>(DeviceLayout.class, true, false).toJson(this));
  }

  /** Reads what {@link #write} wrote. */
  static DeviceLayout read(Path file) throws IOException {
    return new JsonSerialization<>(DeviceLayout.class, true, false)
        .fromJson(Files.readString(file));
  }
}
