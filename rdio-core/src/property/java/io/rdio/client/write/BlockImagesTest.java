// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.SlotGrant;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.write.ImageWriters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Blocks by chance, by the library, on images of devices, against a copy in memory: what is
 * committed is in the slot, byte for byte, and no other byte of any device changes.
 */
final class BlockImagesTest {
  private static final int UNITS = 96;
  private static final int RUNS = UNITS / 4;

  @Property(tries = 60)
  void writesItsSlotsAndNothingElse(@ForAll long seed) throws Exception {
    Path directory = Files.createTempDirectory("rdio-images-");
    try (Run run = new Run(directory, new Random(seed))) {
      for (int i = 0; i < 5; i++) {
        run.block(i);
      }
      run.requireImages();
    } finally {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  /** A slot, and its number on its volume. */
  private record Slot(TokenedBlock block, SlotGrant grant, long deadlineNanos)
      implements WriteSlot {}

  private static final class Run implements AutoCloseable, WritePlane {
    private final Random random;
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final Map<DataNodeId, SlotImage> images = new HashMap<>();
    private final Map<DataNodeId, Integer> units = new HashMap<>();
    private final Map<DataNodeId, List<Integer>> free = new HashMap<>();
    private final Map<DataNodeId, Slot> lent = new ConcurrentHashMap<>();
    private final Map<DataNodeId, byte[]> committed = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final LongAdder failures = new LongAdder();
    private final BlockWriters writers;

    Run(Path directory, Random random) throws IOException {
      this.random = random;
      for (int i = 0; i < 3; i++) {
        DataNodeId node = new DataNodeId("node" + i, 1, 2);
        int unit = 4096 << random.nextInt(3);
        int start = random.nextBoolean() ? 0 : 8 * unit;
        images.put(
            node, new SlotImage(directory.resolve("image" + i), start, UNITS * unit, random));
        units.put(node, unit);
        List<Integer> runs = new ArrayList<>();
        for (int r = 1; r < RUNS; r++) { // the first one has the superblock
          runs.add(r);
        }
        Collections.shuffle(runs, random);
        free.put(node, runs);
      }
      SlotDevices devices =
          new SlotDevices(
              new Directory(),
              WritersFixture.host(Run::open, (node, most) -> {}, new FakeRegistration()),
              System::nanoTime,
              Duration.ofMinutes(1));
      writers =
          new BlockWriters(
              this,
              devices,
              new LeaseClock(System::nanoTime, DirectReader::bootTimeNanos),
              WritersFixture.TRIES,
              failures);
    }

    private static SlotDevice open(DevicePlace place, DeviceIdentity identity)
        throws FallbackException {
      return NativeSlotDevice.open(place, identity, ImageWriters::open);
    }

    /** Where the images are. */
    private final class Directory extends NoDevices {
      @Override
      public DevicePlace place(DeviceIdentity identity) throws FallbackException {
        for (SlotImage image : images.values()) {
          if (image.identity.equals(identity)) {
            return image.place;
          }
        }
        throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, identity.toString());
      }
    }

    /** One block, which is committed, given up, or ended by a range that is not right. */
    void block(int number) throws FallbackException {
      lent.clear();
      committed.clear();
      List<GroupWriter.Target> targets = new ArrayList<>();
      for (DataNodeId node : images.keySet()) {
        targets.add(new GroupWriter.Target(node, new byte[0], ""));
      }
      try (GroupWriter writer =
          GroupWriter.open(
              writers,
              threads,
              new BlockKey("BP-1", number, 1),
              targets.subList(0, 1 + random.nextInt(3)),
              1 << 20,
              ChecksumSpec.Type.CRC32C,
              512)) {
        write(writer, random.nextInt(3) == 0);
      }
    }

    private void write(GroupWriter writer, boolean givesUp) throws FallbackException {
      int most = (int) Math.min(writer.capacity(), 40L * writer.unit());
      int length = 1 + random.nextInt(most);
      ByteBuffer bytes = ByteBuffer.allocateDirect(length + (64 << 10)).alignedSlice(32 << 10);
      byte[] content = new byte[length];
      random.nextBytes(content);
      bytes.put(0, content);
      int at = 0;
      int underWay = 0;
      while (at < length && !(givesUp && random.nextInt(4) == 0)) {
        int next = Math.min(length, at + writer.unit() * (1 + random.nextInt(8)));
        boolean isLast = next == length && (length % writer.unit() != 0 || random.nextBoolean());
        writer.begin(at, DirectReader.addressOf(bytes) + at, next - at, isLast, bytes);
        underWay++;
        note(content, at, next);
        at = next;
        if (underWay == 4 || random.nextBoolean()) {
          writer.finishOldest();
          underWay--;
        }
      }
      for (; underWay > 0; underWay--) { // or nobody would know what of them is there
        writer.finishOldest();
      }
      if (at == length && !givesUp) {
        byte[] crcs = {(byte) length};
        assertThat(writer.commit(length, ByteBuffer.wrap(crcs), 1))
            .isEqualTo((1L << lent.size()) - 1);
        assertThat(committed.values()).hasSize(lent.size()).containsOnly(crcs);
      }
    }

    /** What the images should be by now: the last unit filled with zeros. */
    private void note(byte[] content, int from, int to) {
      lent.forEach(
          (node, slot) -> {
            ExtentList extents = slot.grant().extents();
            int unit = slot.grant().unit();
            int end = (to + unit - 1) / unit * unit;
            SlotImage image = images.get(node);
            for (int i = from; i < end; i++) {
              image.model[image.place(extents, i)] = i < to ? content[i] : 0;
            }
          });
    }

    void requireImages() throws IOException {
      for (SlotImage image : images.values()) {
        assertThat(image.read()).isEqualTo(image.model);
      }
    }

    @Override
    public synchronized WriteSlot allocate(DataNodeId target, byte[] token, SlotAsk ask) {
      int unit = units.get(target);
      List<Integer> runs = free.get(target);
      int count = 1 + random.nextInt(4);
      long[] places = new long[count];
      long[] lengths = new long[count];
      for (int i = 0; i < count; i++) {
        places[i] = runs.remove(0) * 4L * unit;
        lengths[i] = (1 + random.nextInt(4)) * (long) unit;
      }
      ExtentList extents = ExtentList.of(places, lengths);
      SlotImage image = images.get(target);
      long number = numbers.incrementAndGet();
      image.stamp(extents, number, -number, unit);
      writeStamps(image);
      SlotGrant grant =
          new SlotGrant(
              1,
              number,
              30_000,
              60_000,
              ask.block(),
              image.identity,
              "DS-1",
              extents,
              number,
              -number,
              unit,
              false);
      Slot slot =
          new Slot(
              new TokenedBlock(ask.block(), token),
              grant,
              System.nanoTime() + Duration.ofMinutes(5).toNanos());
      lent.put(target, slot);
      return slot;
    }

    private static void writeStamps(SlotImage image) {
      try {
        image.save(); // which is what it was, but for the stamps
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public List<OptionalLong> renew(DataNodeId target, List<WriteSlot> slots) {
      return Collections.nCopies(slots.size(), OptionalLong.empty());
    }

    @Override
    public void commit(DataNodeId target, WriteSlot slot, long length, ByteBuffer checksums) {
      byte[] crcs = new byte[checksums.remaining()];
      checksums.get(crcs);
      committed.put(target, crcs);
    }

    @Override
    public List<Ended> abort(DataNodeId target, List<Ended> ended) {
      assertThat(ended).allMatch(Ended::quiet);
      return List.of();
    }

    @Override
    public void close() {
      writers.close();
      threads.shutdown();
      assertThat(failures.sum()).isZero();
    }
  }
}
