// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.device.WitnessedDevice;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A host that sees one device. */
public final class OneDevice implements DeviceDirectory {
  private final DeviceIdentity identity;
  private final BlockDevice device;
  private final AtomicInteger forgotten = new AtomicInteger();

  public OneDevice(DeviceIdentity identity, BlockDevice device) {
    this.identity = identity;
    this.device = device;
  }

  /** How often the device was to be looked for anew. */
  public int forgotten() {
    return forgotten.get();
  }

  @Override
  public BlockDevice resolve(WitnessedDevice wanted, long count) throws FallbackException {
    return resolve(wanted.device());
  }

  @Override
  public BlockDevice resolve(DeviceIdentity wanted) throws FallbackException {
    if (!wanted.equals(identity)) {
      throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, wanted.toString());
    }
    return device;
  }

  @Override
  public DevicePlace place(DeviceIdentity wanted) throws FallbackException {
    return new DevicePlace(Path.of(resolve(wanted).name()), 0);
  }

  @Override
  public void forget(DeviceIdentity wanted) {
    forgotten.incrementAndGet();
  }

  @Override
  public List<String> lookAlikes(DeviceIdentity wanted) {
    return List.of();
  }

  @Override
  public List<Candidate> candidates() {
    return List.of(new Candidate(device.name(), device.sizeBytes(), "in memory"));
  }

  @Override
  public void close() {}
}
