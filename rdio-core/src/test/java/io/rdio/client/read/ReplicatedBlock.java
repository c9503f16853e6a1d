// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceBacklog;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.device.WitnessedDevice;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.MemoryDevice;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A block with replicas on three devices, and the maps of all of them. */
final class ReplicatedBlock {
  static final int LENGTH = 8 << 20;
  static final int REPLICAS = 3;
  static final int READ = 64 << 10;

  final TestBlock block = new TestBlock(5, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 20);
  final ReadFixture fixture;
  final List<byte[]> images = new ArrayList<>();
  final List<MemoryDevice> devices = new ArrayList<>();
  final List<FileMap> maps = new ArrayList<>();
  final ReadContext context;
  private final Hosts hosts = new Hosts();

  /** The devices that this host sees. */
  private static final class Hosts implements DeviceDirectory {
    final Map<DeviceIdentity, BlockDevice> seen = new HashMap<>();
    Runnable whileOpening = () -> {};

    @Override
    public BlockDevice resolve(WitnessedDevice wanted, long count) throws FallbackException {
      whileOpening.run();
      return resolve(wanted.device());
    }

    @Override
    public BlockDevice resolve(DeviceIdentity wanted) throws FallbackException {
      BlockDevice device = seen.get(wanted);
      if (device == null) {
        throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, wanted.toString());
      }
      return device;
    }

    @Override
    public DevicePlace place(DeviceIdentity wanted) {
      return new DevicePlace(Path.of(wanted.name()), 0);
    }

    @Override
    public void forget(DeviceIdentity wanted) {}

    @Override
    public List<String> lookAlikes(DeviceIdentity wanted) {
      return List.of();
    }

    @Override
    public List<Candidate> candidates() {
      return List.of();
    }

    @Override
    public void close() {}
  }

  ReplicatedBlock() throws FallbackException {
    this(() -> new DeferredQueue(LENGTH));
  }

  /** With such read queues. */
  ReplicatedBlock(ReadAheadPool.QueueSource queues) throws FallbackException {
    fixture = new ReadFixture(block, 512, ReadFixture.MEMORY, queues);
    fixture.maps.reject(fixture.maps.get(block.request), FallbackReason.LEASE_EXPIRED);
    for (int i = 0; i < REPLICAS; i++) {
      DeviceIdentity identity =
          new DeviceIdentity("ext4", new UUID(7, i), block.image.length, "", 0, "/dev/replica" + i);
      images.add(block.image.clone());
      devices.add(new MemoryDevice(images.get(i), 512));
      hosts.seen.put(identity, devices.get(i));
      long now = fixture.clock.nanos();
      Lease lease = new Lease(i + 2, 1, now, now + TestBlock.LEASE.toNanos());
      maps.add(block.map(identity, LENGTH, block.blockExtents, lease));
      fixture.maps.then(maps.get(i));
    }
    fixture.maps.keepAll();
    context = fixture.pools.context(fixture.maps, hosts, fixture.clock);
  }

  /** What happens from now on while a device is looked for. */
  void whileOpening(Runnable action) {
    hosts.whileOpening = action;
  }

  /** Has reads of the devices seem to take so long. */
  void take(long... nanos) {
    for (int i = 0; i < nanos.length; i++) {
      DeviceBacklog backlog = devices.get(i).backlog();
      backlog.ended(READ, backlog.begin(READ), nanos[i]);
    }
  }

  /** Falsifies the byte in the middle of a replica. */
  void corrupt(int replica) {
    images.get(replica)[block.placeOf(LENGTH / 2)] ^= 1;
  }

  int reads(int replica) {
    return devices.get(replica).reads();
  }

  /** What maps were rejected for. */
  List<FallbackReason> rejections() {
    List<FallbackReason> rejected = fixture.maps.rejections();
    return rejected.subList(1, rejected.size()); // without that of the fixture's own map
  }
}
