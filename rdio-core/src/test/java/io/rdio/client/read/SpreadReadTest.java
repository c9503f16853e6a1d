// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceBacklog;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.WitnessedDevice;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.MemoryDevice;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A block with replicas on three devices, and readers that read by all of them. */
final class SpreadReadTest {
  private static final int LENGTH = 8 << 20;
  private static final int REPLICAS = 3;
  private static final int READ = 64 << 10;

  private final TestBlock block =
      new TestBlock(5, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 20);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final Hosts hosts = new Hosts();
  private final List<byte[]> images = new ArrayList<>();
  private final List<MemoryDevice> devices = new ArrayList<>();
  private final List<FileMap> maps = new ArrayList<>();
  private final byte[] got = new byte[LENGTH];
  private ReadContext context;

  /** The devices that this host sees. */
  private static final class Hosts implements DeviceDirectory {
    final Map<DeviceIdentity, BlockDevice> seen = new HashMap<>();

    @Override
    public BlockDevice resolve(WitnessedDevice wanted, long count) throws FallbackException {
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

  @BeforeEach
  void placeReplicas() throws FallbackException {
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
    context =
        new ReadContext(
            fixture.maps,
            hosts,
            fixture.windows,
            fixture.readAheads,
            fixture.clock,
            fixture.counters,
            null,
            fixture.blocksAhead);
  }

  /** Has reads of a device seem to take so long. */
  private void takes(int replica, long nanos) {
    DeviceBacklog backlog = devices.get(replica).backlog();
    backlog.ended(READ, backlog.begin(READ), nanos);
  }

  private void readAll() throws FallbackException {
    try (ExtentReader reader = ExtentReader.open(context, block.request, true, LENGTH)) {
      for (int at = 0; at < LENGTH; at += READ) {
        reader.read(at, got, at, READ);
      }
    }
    assertThat(got).isEqualTo(block.bytes);
  }

  private int reads(int replica) {
    return devices.get(replica).reads();
  }

  private void assertRejected(FallbackReason... reasons) {
    List<FallbackReason> rejected = fixture.maps.rejections();
    assertThat(rejected.subList(1, rejected.size())).containsExactly(reasons);
  }

  @Test
  void windowsGoWhereTheyAreBackFirst() throws Exception {
    takes(0, 4_000_000);
    takes(1, 1_000_000);
    takes(2, 4_000_000);
    readAll();
    assertThat(reads(1)).isGreaterThan(3 * (reads(0) + reads(2)));
    assertRejected();
  }

  @Test
  void aDeviceThatIsNotKnownYetIsTried() throws Exception {
    takes(0, 1_000_000);
    readAll();
    assertThat(reads(1) + reads(2)).isPositive();
  }

  @Test
  void oneOfEachBlockIsReadByOne() throws Exception {
    fixture.maps.reject(maps.get(1), FallbackReason.LEASE_EXPIRED);
    fixture.maps.reject(maps.get(2), FallbackReason.LEASE_EXPIRED);
    readAll();
    assertThat(reads(1) + reads(2)).isZero();
  }

  @Test
  void theReplicaThatIsCorruptIsBlamedAndNoOther() throws Exception {
    takes(0, 4_000_000);
    takes(1, 1_000_000);
    takes(2, 4_000_000);
    images.get(1)[block.placeOf(LENGTH / 2)] ^= 1;
    ExtentReader reader = ExtentReader.open(context, block.request, true, LENGTH);
    for (int at = 0; at < LENGTH; at += READ) {
      reader.read(at, got, at, READ);
    }
    assertThat(got).isEqualTo(block.bytes);
    assertRejected(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(reader.takeSuspect()).isSameAs(maps.get(1));
    reader.close();
  }

  @Test
  void oneGoodReplicaIsEnough() throws Exception {
    takes(0, 1_000_000);
    takes(1, 1_000_000);
    takes(2, 1_000_000);
    images.get(0)[block.placeOf(LENGTH / 2)] ^= 1;
    images.get(1)[block.placeOf(LENGTH / 2)] ^= 1;
    byte[] chunk = new byte[512];
    for (int i = 0; i < 4; i++) {
      try (ExtentReader reader =
          ExtentReader.open(context, block.request, true, LENGTH / 2 + chunk.length)) {
        reader.read(LENGTH / 2, chunk, 0, chunk.length);
      }
      assertThat(chunk).isEqualTo(block.range(LENGTH / 2, chunk.length));
    }
    assertThat(reads(2)).isPositive();
  }

  @Test
  void aDeviceThatDoesNotAnswerIsLeftAtOnce() throws Exception {
    takes(0, 4_000_000);
    takes(1, 1_000_000);
    takes(2, 4_000_000);
    devices.get(1).answers(false);
    readAll();
    assertRejected(FallbackReason.DEVICE_TIMEOUT);
    assertThat(reads(1)).isZero();
  }

  @Test
  void theReadersOwnDeviceMayBeTheOneThatDoesNotAnswer() throws Exception {
    devices.get(0).answers(false);
    readAll();
    assertRejected(FallbackReason.DEVICE_TIMEOUT);
    assertThat(reads(0)).isZero();
  }

  @Test
  void positionalReadsSeeEachReplica() throws Exception {
    for (int i = 0; i < REPLICAS; i++) {
      takes(i, 1_000_000);
    }
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      int at = random.nextInt(LENGTH - 4096);
      try (ExtentReader reader = ExtentReader.open(context, block.request, true, at + 4096)) {
        reader.read(at, got, at, 4096);
      }
      assertThat(got[at]).isEqualTo(block.bytes[at]);
    }
    int all = reads(0) + reads(1) + reads(2);
    for (int i = 0; i < REPLICAS; i++) {
      assertThat((double) reads(i) / all).isEqualTo(1.0 / REPLICAS, within(0.1));
    }
  }

  /** Of another length, it would be of another version of the block. */
  @Test
  void aReplicaThatIsNotLikeTheFirstIsNotReadBy() throws Exception {
    fixture.maps.reject(maps.get(1), FallbackReason.LEASE_EXPIRED);
    fixture.maps.reject(maps.get(2), FallbackReason.LEASE_EXPIRED);
    long now = fixture.clock.nanos();
    Lease lease = new Lease(9, 1, now, now + TestBlock.LEASE.toNanos());
    int longer = LENGTH + 512;
    fixture.maps.then(
        block.map(
            maps.get(2).device(),
            longer,
            ExtentList.of(new long[] {0}, new long[] {longer}),
            lease));
    readAll();
    assertThat(reads(2)).isZero();
  }
}
