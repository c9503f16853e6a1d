// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;

/** A host that sees one device at a time, whose identity is right: only its witness tells. */
public final class WitnessedDevices implements DeviceDirectory {
  private final Supplier<BlockDevice> seen;
  private final boolean checked;

  /**
   * @param checked false for a host that believes what it sees
   */
  public WitnessedDevices(Supplier<BlockDevice> seen, boolean checked) {
    this.seen = seen;
    this.checked = checked;
  }

  @Override
  public BlockDevice resolve(WitnessedDevice wanted, long count) throws FallbackException {
    BlockDevice device = seen.get();
    Witness witness = wanted.witness(count);
    ByteBuffer sector = ByteBuffer.allocateDirect(device.alignment());
    device.read(witness.offset(), sector);
    if (checked && !witness.isShownBy(sector, 0)) {
      throw new FallbackException(FallbackReason.DEVICE_MISMATCH, "an older copy");
    }
    return device;
  }

  @Override
  public BlockDevice resolve(DeviceIdentity identity) {
    return seen.get();
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
