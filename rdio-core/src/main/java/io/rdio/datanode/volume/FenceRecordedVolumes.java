// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.FenceRecord;
import io.rdio.core.fence.FenceRecords;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Volumes of which this host's records say whether the host before it is shut out: one that a
 * DataNode takes over between the beginning and the end of {@code rdio fence} is left as it is. No
 * device is asked, which the DataNode's user may not do: one whose target has forgotten the fence
 * since passes until {@code rdio fence} is repeated, and has found and recorded that. Thread-safe.
 */
public final class FenceRecordedVolumes implements VolumeIdentifier {
  private final VolumeIdentifier volumes;
  private final VolumeIdentifier devices;
  private final FenceRecords records;

  /**
   * @param volumes that are looked at
   * @param devices says only what lies below a directory
   * @param records of this host
   */
  public FenceRecordedVolumes(
      VolumeIdentifier volumes, VolumeIdentifier devices, FenceRecords records) {
    this.volumes = volumes;
    this.devices = devices;
    this.records = records;
  }

  /** {@inheritDoc} Where the device cannot be told, or a record not be read, it may be this one. */
  @Override
  public void requireFenced(Path volumeRoot) throws FallbackException {
    try {
      List<FenceRecord> unfinished = records.unfinished();
      if (unfinished.isEmpty()) {
        return;
      }
      String wwid = devices.identify(volumeRoot).wwid();
      for (FenceRecord record : unfinished) {
        if (record.wwid().equals(wwid)) {
          throw new IOException(
              record.host()
                  + " is not shut out of its device ("
                  + record.state()
                  + " since "
                  + record.since()
                  + "), by the record in "
                  + records.folder()
                  + "; fix: repeat 'rdio fence "
                  + record.host()
                  + "', or, once that host is off, 'rdio fence --undo "
                  + record.host()
                  + "'");
        }
      }
    } catch (IOException e) {
      throw new FallbackException(
          FallbackReason.VOLUME_UNFENCED, volumeRoot + ": " + e.getMessage(), e);
    }
  }

  @Override
  public DeviceIdentity identify(Path volumeRoot) throws FallbackException {
    return volumes.identify(volumeRoot);
  }

  @Override
  public @Nullable FallbackException obstacle(Path volumeRoot) {
    return volumes.obstacle(volumeRoot);
  }

  @Override
  public @Nullable FenceStatus fence(Path volumeRoot) {
    return volumes.fence(volumeRoot);
  }
}
