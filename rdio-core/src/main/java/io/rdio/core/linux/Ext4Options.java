// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import io.rdio.core.device.DeviceIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How this host's kernel has ext4 file systems mounted. Needs no privilege. Thread-safe. */
public final class Ext4Options {
  /** Begins an option that is in effect on whatever has a journal, and on nothing else. */
  private static final String DATA = "data=";

  private final Path ext4;

  /** Of this host. */
  public Ext4Options() {
    this(Path.of("/proc/fs/ext4"));
  }

  /**
   * @param ext4 {@code /proc/fs/ext4}
   */
  public Ext4Options(Path ext4) {
    this.ext4 = ext4;
  }

  /**
   * Options in effect on a device that has ext4, the defaults included.
   *
   * @throws IOException if the kernel does not say, as where it is not mounted
   */
  public List<String> of(DeviceIdentity device) throws IOException {
    String node = device.name();
    String baseName = node.substring(node.lastIndexOf('/') + 1);
    return Files.readAllLines(ext4.resolve(baseName).resolve("options"));
  }

  /**
   * Whether it has a journal, by which all that changes is on the device in its order, also behind
   * a loss of power.
   *
   * @throws IOException as {@link #of}
   */
  public boolean hasJournal(DeviceIdentity device) throws IOException {
    return of(device).stream().anyMatch(option -> option.startsWith(DATA));
  }
}
