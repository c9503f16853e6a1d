// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import io.rdio.core.device.SysfsBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * Whether the device below a folder has nothing to do just then, as the kernel counts it.
 * Thread-safe.
 */
public final class DeviceIdle implements BooleanSupplier {
  /** Reads and writes that are under way. */
  private static final Pattern NONE = Pattern.compile("\\s*0\\s+0\\s*");

  private final Path folder;
  private final Path sysfs;

  /** Of this host. */
  public DeviceIdle(Path folder) {
    this(folder, Path.of("/sys"));
  }

  DeviceIdle(Path folder, Path sysfs) {
    this.folder = folder;
    this.sysfs = sysfs;
  }

  /** False also where it cannot be told. */
  @Override
  public boolean getAsBoolean() {
    try {
      long dev = (Long) Files.getAttribute(folder, "unix:dev");
      String numbers = SysfsBlockDevice.major(dev) + ":" + SysfsBlockDevice.minor(dev);
      Path inflight = sysfs.resolve("dev/block").resolve(numbers).resolve("inflight");
      return NONE.matcher(Files.readString(inflight)).matches();
    } catch (IOException e) {
      return false;
    }
  }
}
