// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A host that sees one device at a time, whose identity is right: only its witness tells. */
public final class WitnessedDevices implements DeviceDirectory {
  private final Supplier<BlockDevice> seen;
  private final boolean checked;
  private final Shown shown;

  /** What a device has shown to a host, which remembers it as {@link LocalDeviceDirectory} does. */
  public static final class Shown {
    private final List<Witness> witnesses = new ArrayList<>();

    private boolean has(WitnessedDevice wanted, long count) {
      return witnesses.stream().anyMatch(witness -> witness.covers(wanted, count));
    }
  }

  /**
   * @param checked false for a host that believes what it sees
   * @param shown by this device until now
   */
  public WitnessedDevices(Supplier<BlockDevice> seen, boolean checked, Shown shown) {
    this.seen = seen;
    this.checked = checked;
    this.shown = shown;
  }

  @Override
  public BlockDevice resolve(WitnessedDevice wanted, long count) throws FallbackException {
    BlockDevice device = seen.get();
    if (shown.has(wanted, count)) {
      return device;
    }
    Witness witness = wanted.witness(count);
    ByteBuffer sector = ByteBuffer.allocateDirect(device.alignment());
    device.read(witness.offset(), sector);
    if (checked && !witness.isShownBy(sector, 0)) {
      throw new FallbackException(FallbackReason.DEVICE_MISMATCH, "an older copy");
    }
    shown.witnesses.add(witness);
    return device;
  }

  @Override
  public BlockDevice resolve(DeviceIdentity identity) {
    return seen.get();
  }

  @Override
  public DevicePlace place(DeviceIdentity identity) {
    return new DevicePlace(Path.of(seen.get().name()), 0);
  }

  @Override
  public void forget(DeviceIdentity identity) {}

  @Override
  public List<String> lookAlikes(DeviceIdentity identity) {
    return List.of();
  }

  @Override
  public List<Candidate> candidates() {
    return List.of();
  }

  @Override
  public void close() {}
}
