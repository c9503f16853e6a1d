// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.model;

import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.plane.FileMap;
import io.rdio.client.read.ExtentReader;
import io.rdio.client.read.ReadContext;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.WitnessedDevices;
import io.rdio.core.device.WitnessedDevices.Shown;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.Stepper;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.grant.ReplayedDataNode;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Reads a block with the real reader, without checksums, which would hide what leases let by. */
final class ReplayedReader {
  private final ReadPools pools = ReadPools.withoutQueues(8 << 20);

  /** A read that stops before and behind what it does on the device. */
  static final class Read implements AutoCloseable {
    private @Nullable Stepper<byte[]> stepper;

    private void step() {
      Stepper<byte[]> current = stepper;
      if (current != null) {
        current.pause();
      }
    }

    /** Whether it waits for the device. */
    boolean isUnderWay() {
      return stepper != null && !stepper.isDone();
    }

    /** The device answers. */
    void answer() {
      if (stepper != null) {
        stepper.step();
      }
    }

    /** Its bytes, or null if the reader refused them. */
    byte @Nullable [] finish() throws Exception {
      Stepper<byte[]> current = stepper;
      if (current == null) {
        return null;
      }
      try {
        return current.finish();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof FallbackException) {
          return null;
        }
        throw e;
      }
    }

    @Override
    public void close() {
      if (stepper != null) {
        stepper.close();
      }
    }
  }

  /**
   * Looks for the device of a map, as a reader does before the first byte.
   *
   * @param shown by the device until now
   */
  void look(ReplayedDisk disk, boolean checked, FileMap map, Shown shown) {
    BlockDevice device = disk.view(false, () -> {});
    try {
      map.guard().resolve(map, new WitnessedDevices(() -> device, checked, shown));
    } catch (FallbackException e) {
      // Nobody reads by it, then.
    }
  }

  /**
   * Begins a read of the whole block by a map.
   *
   * @param shown by the device, or the copy, until now
   */
  Read begin(
      ReplayedDisk disk,
      boolean copy,
      boolean checked,
      FileMap map,
      MonotonicClock clock,
      Shown shown) {
    Read read = new Read();
    BlockDevice device = disk.view(copy, read::step);
    DeviceDirectory devices = new WitnessedDevices(() -> device, checked, shown);
    ReadContext context = pools.context(new OneMap(map), devices, clock);
    read.stepper =
        new Stepper<>(
            () -> {
              byte[] bytes = new byte[ReplayedDataNode.LENGTH];
              BlockRequest request = new BlockRequest(new TokenedBlock(map.block()), "/file");
              try (ExtentReader reader = ExtentReader.open(context, request, false, bytes.length)) {
                reader.read(0, bytes, 0, bytes.length);
              }
              return bytes;
            });
    read.stepper.step();
    return read;
  }

  /** Gives one map out, until it is rejected. */
  private static final class OneMap implements FileMapSource {
    private final FileMap map;
    private boolean rejected;

    OneMap(FileMap map) {
      this.map = map;
    }

    @Override
    public FileMap get(BlockRequest request) throws FallbackException {
      if (rejected) {
        throw new FallbackException(FallbackReason.LEASE_EXPIRED, "there is no other map");
      }
      return map;
    }

    @Override
    public boolean holds(BlockKey block) {
      return !rejected;
    }

    @Override
    public @Nullable FileMap following(BlockRequest request) {
      return null;
    }

    @Override
    public Load begin(BlockRequest request) {
      return Load.DONE;
    }

    @Override
    public void reject(FileMap bad, FallbackReason reason) {
      rejected = true;
    }

    @Override
    public void keepCrcs(FileMap of, int page, int pages, ByteBuffer from, int at, int length) {}
  }
}
