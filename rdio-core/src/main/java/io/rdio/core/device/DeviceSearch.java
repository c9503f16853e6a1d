// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.FallbackReason.DEVICE_AMBIGUOUS;
import static io.rdio.core.FallbackReason.DEVICE_IO_ERROR;
import static io.rdio.core.FallbackReason.DEVICE_MISMATCH;
import static io.rdio.core.FallbackReason.DEVICE_NOT_FOUND;
import static io.rdio.core.FallbackReason.DEVICE_PERMISSION;
import static io.rdio.core.FallbackReason.DEVICE_TIMEOUT;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One search for one identity among this host's devices. A device is chosen by size and, where both
 * sides know one, by wwid and partition start; where not, by the superblock. Whatever was chosen,
 * its superblock must hold the identity's file system. Two that pass are one too many.
 *
 * <p>Where the DataNode's device is a partition and this host sees the whole disk only, the
 * partition's range of the disk is searched in the same way. Not thread-safe.
 */
final class DeviceSearch {
  private final LocalDevices devices;
  private final DeviceLooks looks;
  private final DeviceIdentity identity;
  private final List<DirectBlockDevice> matches = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final List<String> forbidden = new ArrayList<>();
  private final List<String> nearMisses = new ArrayList<>();
  private final List<String> silent = new ArrayList<>();

  DeviceSearch(LocalDevices devices, DeviceLooks looks, DeviceIdentity identity) {
    this.devices = devices;
    this.looks = looks;
    this.identity = identity;
  }

  /** The one device, verified. Opens no other device than those that may be it. */
  DirectBlockDevice run() throws FallbackException {
    List<SysfsBlockDevice> all = devices.list();
    for (SysfsBlockDevice candidate : all) {
      if (candidate.sizeBytes() == identity.sizeBytes()) {
        consider(candidate, candidate.startBytes(), 0);
      }
    }
    if (matches.isEmpty() && identity.partitionStartBytes() > 0) {
      for (SysfsBlockDevice candidate : all) {
        if (!candidate.isPartition() && candidate.sizeBytes() > identity.sizeBytes()) {
          consider(candidate, identity.partitionStartBytes(), identity.partitionStartBytes());
        }
      }
    }
    return verdict();
  }

  /**
   * @param startBytes where the range to be read starts on the whole disk
   * @param viewStart where it starts on the candidate
   */
  private void consider(SysfsBlockDevice candidate, long startBytes, long viewStart)
      throws FallbackException {
    Optional<String> unusable = LocalDevices.whyUnusable(candidate);
    if (unusable.isPresent()) {
      nearMisses.add(candidate.name() + " has the size but " + unusable.get());
      return;
    }
    boolean bothNamed = !identity.wwid().isEmpty() && !candidate.wwid().isEmpty();
    if (bothNamed && !isPlace(candidate, startBytes)) {
      return;
    }
    try {
      matches.add(looks.look(candidate.name(), () -> verified(candidate, viewStart)));
    } catch (FallbackException e) {
      note(e, bothNamed);
    }
  }

  private DirectBlockDevice verified(SysfsBlockDevice candidate, long viewStart)
      throws FallbackException {
    DirectBlockDevice device = devices.open(candidate, viewStart, identity.sizeBytes());
    DeviceProbe.verify(device, identity);
    return device;
  }

  private boolean isPlace(SysfsBlockDevice candidate, long startBytes) {
    return candidate.wwid().equals(identity.wwid()) && startBytes == identity.partitionStartBytes();
  }

  private void note(FallbackException refusal, boolean sameWwid) throws FallbackException {
    if (refusal.reason() == FallbackReason.INTERRUPTED) {
      throw refusal;
    } else if (refusal.reason() == DEVICE_TIMEOUT) {
      silent.add(refusal.detail());
    } else if (refusal.reason() == DEVICE_PERMISSION) {
      forbidden.add(refusal.detail());
    } else if (refusal.reason() == DEVICE_MISMATCH && sameWwid) {
      wrong.add(refusal.detail());
    } else if (refusal.reason() == DEVICE_IO_ERROR) {
      nearMisses.add(refusal.detail());
    }
  }

  private DirectBlockDevice verdict() throws FallbackException {
    if (matches.size() == 1) {
      return matches.get(0);
    }
    if (matches.size() > 1) {
      matches.forEach(DirectBlockDevice::discard);
      List<String> names = matches.stream().map(DirectBlockDevice::name).toList();
      throw refusal(DEVICE_AMBIGUOUS, names + " all look like " + identity);
    }
    if (!wrong.isEmpty()) {
      throw refusal(DEVICE_MISMATCH, String.join("; ", wrong));
    }
    if (!forbidden.isEmpty()) {
      throw refusal(
          DEVICE_PERMISSION,
          "none of the readable devices is "
              + identity
              + "; not readable: "
              + String.join("; ", forbidden));
    }
    if (!silent.isEmpty()) {
      throw refusal(DEVICE_TIMEOUT, identity + ": " + String.join("; ", silent));
    }
    throw refusal(
        DEVICE_NOT_FOUND,
        identity + (nearMisses.isEmpty() ? "" : "; near misses: " + String.join("; ", nearMisses)));
  }

  /**
   * Devices with the right file system but another size or wwid, and those that cannot be read:
   * worth a word to a user who looks for one that was not found. Opens every device of the host.
   */
  List<String> lookAlikes() throws FallbackException {
    for (SysfsBlockDevice device : devices.list()) {
      if (LocalDevices.whyUnusable(device).isPresent()) {
        continue;
      }
      Optional<Superblock> found = Optional.empty();
      try {
        found = looks.look(device.name(), () -> devices.look(device));
      } catch (FallbackException e) {
        nearMisses.add(e.detail());
      }
      if (found.isPresent() && found.get().uuid().equals(identity.fsUuid())) {
        nearMisses.add(
            device.name()
                + " has this UUID but "
                + device.sizeBytes()
                + " bytes and wwid \""
                + device.wwid()
                + "\"");
      }
    }
    return nearMisses;
  }

  private static FallbackException refusal(FallbackReason reason, String detail) {
    return new FallbackException(reason, detail);
  }
}
