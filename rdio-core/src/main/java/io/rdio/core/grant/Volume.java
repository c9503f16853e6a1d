// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One storage directory: its device, its pin directory, and what is pinned there. */
final class Volume {
  private final Storage storage;
  private final PinDirectory directory;
  private final @Nullable WitnessFile witnessFile;
  private final @Nullable DeviceIdentity device;
  private final @Nullable FallbackException refusal;
  private final Leftovers leftovers;
  private final VolumeAccount account = new VolumeAccount();

  /** Either a witness file and a device are given, or a refusal. */
  Volume(
      Storage storage,
      PinDirectory directory,
      Leftovers leftovers,
      @Nullable WitnessFile witnessFile,
      @Nullable DeviceIdentity device,
      @Nullable FallbackException refusal) {
    this.storage = storage;
    this.directory = directory;
    this.leftovers = leftovers;
    this.witnessFile = witnessFile;
    this.device = device;
    this.refusal = refusal;
  }

  Storage storage() {
    return storage;
  }

  PinDirectory directory() {
    return directory;
  }

  /** The device, or the reason why nothing can be granted here. */
  DeviceIdentity device() throws FallbackException {
    if (refusal != null) {
      throw refusal;
    }
    return Objects.requireNonNull(device, "a volume without refusal has a device");
  }

  /** Only of a volume with a device. */
  WitnessFile witnessFile() {
    return Objects.requireNonNull(witnessFile, "a volume with a device has a witness");
  }

  Leftovers leftovers() {
    return leftovers;
  }

  /** What is pinned here. Only {@link LeaseTable} touches it, under its lock. */
  VolumeAccount account() {
    return account;
  }

  /** Reads the account: under the lease table's lock only. */
  VolumeStatus status() {
    return new VolumeStatus(
        storage.storageId(),
        storage.volumeRoot(),
        device,
        refusal,
        account.places(),
        account.bytes(),
        account.deletedBytes() + leftovers.deletedBytes());
  }
}
