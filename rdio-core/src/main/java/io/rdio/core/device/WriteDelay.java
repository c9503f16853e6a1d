// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * How long after a write was asked for the kernel of this host may still send it to the device, by
 * what it says in sysfs. A command without an answer has the block layer's timeout. Behind a fabric
 * it then waits for a connection until the kernel gives that up: by {@code fast_io_fail_tmo}, or
 * where that is off by {@code ctrl_loss_tmo}. This is the time of one loss of the connection: a
 * command that was sent again, and is lost again, has as much once more. Thread-safe.
 */
public final class WriteDelay {
  private static final long UNBOUNDED = Long.MAX_VALUE;

  /** Transports without a connection to lose. */
  private static final Set<String> LOCAL = Set.of("pcie", "loop");

  /**
   * A port of ATA, an end device of SAS, or a card's controller, on the way to the device. By its
   * name alone a SCSI disk may as well be one of a network, or a virtual one, whose drivers begin
   * the block layer's time anew.
   */
  private static final Pattern LOCAL_DISK = Pattern.compile("/(ata|end_device-|mmc)[0-9]");

  private final Path sysfs;

  /** By the kernel of this host. */
  public WriteDelay() {
    this(Path.of("/sys"));
  }

  WriteDelay(Path sysfs) {
    this.sysfs = sysfs;
  }

  /**
   * A time, and what it is made of.
   *
   * @param millis {@link #UNBOUNDED} if nothing bounds it
   */
  private record Delay(long millis, String parts) {
    Delay and(Delay more) {
      long sum = millis > UNBOUNDED - more.millis ? UNBOUNDED : millis + more.millis;
      return new Delay(sum, parts + ", then " + more.parts);
    }
  }

  /**
   * Refuses a device that a write may reach later than it may.
   *
   * @param node of a disk or partition; what is no device at all is left to who opens it
   * @param mostMillis from when a write is asked for
   * @return milliseconds that it may take
   * @throws FallbackException WRITE_UNBOUNDED if it may take longer, or if that is not known;
   *     DEVICE_NOT_FOUND if the node is not there
   */
  public long require(Path node, long mostMillis) throws FallbackException {
    try {
      long dev = (Long) Files.getAttribute(node, "unix:rdev");
      return dev == 0 ? 0 : require(SysfsBlockDevice.ofNumbers(sysfs, dev), mostMillis);
    } catch (IOException e) {
      throw unknown(
          node.toString(),
          Files.notExists(node) ? FallbackReason.DEVICE_NOT_FOUND : FallbackReason.WRITE_UNBOUNDED,
          e);
    }
  }

  /**
   * The same of each device of this host with the WWID of an identity, for {@code rdio doctor}:
   * opens nothing.
   *
   * @return the longest; empty if there is none, as where the identity has no WWID
   */
  public OptionalLong require(DeviceIdentity identity, long mostMillis) throws FallbackException {
    OptionalLong longest = OptionalLong.empty();
    try {
      for (SysfsBlockDevice device : SysfsBlockDevice.list(sysfs)) {
        boolean isMeant = !device.wwid().isEmpty() && device.wwid().equals(identity.wwid());
        if (isMeant && !device.hidden() && !device.isPartition()) {
          long millis = require(device, mostMillis);
          longest = OptionalLong.of(Math.max(millis, longest.orElse(0)));
        }
      }
    } catch (IOException e) {
      throw unknown(identity.toString(), FallbackReason.WRITE_UNBOUNDED, e);
    }
    return longest;
  }

  private static FallbackException unknown(String device, FallbackReason reason, IOException e) {
    return new FallbackException(
        reason, "how late a write may reach " + device + " is not known: " + e, e);
  }

  private long require(SysfsBlockDevice device, long mostMillis)
      throws FallbackException, IOException {
    Delay delay = of(device);
    if (delay.millis > mostMillis) {
      throw new FallbackException(
          FallbackReason.WRITE_UNBOUNDED,
          "a write may still reach "
              + device.name()
              + " "
              + (delay.millis == UNBOUNDED ? "at any time" : text(delay.millis) + " later")
              + ", and its place there is left alone for "
              + text(mostMillis)
              + ": "
              + delay.parts);
    }
    return delay.millis;
  }

  private Delay of(SysfsBlockDevice device) throws IOException {
    if (!device.kind().isEmpty()) {
      return new Delay(
          UNBOUNDED, "what it is made of (" + device.kind() + ") has a queue of its own");
    }
    Path disk = sysfs.resolve("class/block").resolve(device.disk());
    if (!device.disk().startsWith("nvme")) {
      return ofOther(device.disk(), disk);
    }
    return Files.exists(disk.resolve("device/transport"))
        ? ofPath(disk, false)
        : ofMultipath(disk, device.wwid());
  }

  /** A disk of this machine: one on a network has times of its own, which are not looked at. */
  private static Delay ofOther(String name, Path disk) throws IOException {
    if (name.startsWith("loop")) {
      return ofCommand(disk, 0); // a file system's time is in front of it
    }
    if (!LOCAL_DISK.matcher(disk.toRealPath().toString()).find()) {
      return new Delay(UNBOUNDED, "its driver's own waiting is not known");
    }
    return ofCommand(disk, UNBOUNDED);
  }

  /** What waits for native multipath fails when no path has a connection to wait for. */
  private Delay ofMultipath(Path disk, String wwid) throws IOException {
    long keptSeconds = number(disk.resolve("delayed_removal_secs")).orElse(0);
    Delay longest = null;
    for (Path path : SysfsBlockDevice.paths(sysfs, wwid)) {
      Delay delay = ofPath(path, keptSeconds > 0);
      if (longest == null || delay.millis > longest.millis) {
        longest = delay;
      }
    }
    if (longest == null) {
      return new Delay(UNBOUNDED, "no path to it is known");
    }
    return keptSeconds == 0 ? longest : longest.and(ofSeconds("delayed_removal_secs", keptSeconds));
  }

  private static Delay ofPath(Path disk, boolean isKept) throws IOException {
    Path controller = disk.resolve("device");
    String transport = Files.readString(controller.resolve("transport")).strip();
    if (LOCAL.contains(transport)) {
      return ofCommand(disk, 0);
    }
    Delay lost = ofLostConnection(controller, isKept);
    String which = " of " + controller.toRealPath().getFileName() + " (" + transport + ")";
    return ofCommand(disk, UNBOUNDED).and(new Delay(lost.millis, lost.parts + which));
  }

  /**
   * The block layer's time for a command.
   *
   * @param unsaidMillis where the kernel names none
   */
  private static Delay ofCommand(Path disk, long unsaidMillis) throws IOException {
    OptionalLong millis = number(disk.resolve("queue/io_timeout"));
    return new Delay(
        millis.orElse(unsaidMillis),
        disk.getFileName()
            + "/queue/io_timeout "
            + (millis.isPresent() ? text(millis.getAsLong()) : "unknown"));
  }

  /**
   * How long the kernel waits for a controller.
   *
   * @param isKept whether the disk is kept for a while when its last path is gone: then what waits
   *     does not fail before, whatever {@code fast_io_fail_tmo} says
   */
  private static Delay ofLostConnection(Path controller, boolean isKept) throws IOException {
    OptionalLong fast = number(controller.resolve("fast_io_fail_tmo"));
    if (fast.isPresent() && !isKept) {
      return ofSeconds("fast_io_fail_tmo", fast.getAsLong());
    }
    Delay off = new Delay(0, "fast_io_fail_tmo " + (isKept ? "without effect" : "off"));
    OptionalLong loss = number(controller.resolve("ctrl_loss_tmo"));
    Delay lost =
        loss.isPresent()
            ? ofSeconds("ctrl_loss_tmo", loss.getAsLong())
            : new Delay(UNBOUNDED, "ctrl_loss_tmo off");
    // The kernel counts tries, and gives up behind the last one.
    long between = number(controller.resolve("reconnect_delay")).orElse(0);
    return off.and(lost).and(ofSeconds("reconnect_delay", between));
  }

  private static Delay ofSeconds(String what, long seconds) {
    return new Delay(TimeUnit.SECONDS.toMillis(seconds), what + " " + seconds + " s");
  }

  /** What a file says; empty for "off", for less than 0, and where there is no such file. */
  private static OptionalLong number(Path file) throws IOException {
    String text = Files.exists(file) ? Files.readString(file).strip() : "off";
    try {
      long number = text.equals("off") ? -1 : Long.parseLong(text);
      return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
    } catch (NumberFormatException e) {
      throw new IOException(file + " holds \"" + text + "\" instead of a number", e);
    }
  }

  private static String text(long millis) {
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }
}
