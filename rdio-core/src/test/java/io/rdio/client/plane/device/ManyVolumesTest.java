// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import io.rdio.core.testing.ForwardingDevice;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a block that the NameNode lists nowhere costs on a host with many volumes, in reads of their
 * devices: docs/resilience.md has these numbers.
 */
final class ManyVolumesTest {
  private static final int VOLUMES = 32;

  /** Of one look at a journal. */
  private static final int LOOK = 2;

  /** Of a search for storages, of each device. */
  private static final int SEARCH_MAX = 64;

  @TempDir(factory = InMemory.class)
  Path directory;

  private final ManualClock clock = new ManualClock();
  private final DeviceCounters counters = new DeviceCounters();
  private final List<CountedVolume> volumes = new ArrayList<>();
  private PlaneImage without;
  private StorageSearch search;
  private DevicePlane plane;

  /** A volume that has a storage id of its own, and otherwise what its image has. */
  private static final class CountedVolume extends ForwardingDevice {
    private static final byte[] OF_IMAGE = PlaneImage.STORAGE.getBytes(US_ASCII);

    private final byte[] id;
    private final AtomicInteger reads = new AtomicInteger();

    /**
     * @param id as long as that of the image
     */
    CountedVolume(BlockDevice image, String id) {
      super(image);
      this.id = id.getBytes(US_ASCII);
    }

    @Override
    public void read(long offset, ByteBuffer target) throws FallbackException {
      reads.incrementAndGet();
      int from = target.position();
      super.read(offset, target);
      for (int at = from; at + OF_IMAGE.length <= target.position(); at++) {
        if (target.get(at) == OF_IMAGE[0]
            && target.slice(at, OF_IMAGE.length).equals(ByteBuffer.wrap(OF_IMAGE))) {
          target.put(at, id);
        }
      }
    }

    /** Reads since this was asked last. */
    int taken() {
      return reads.getAndSet(0);
    }
  }

  @BeforeEach
  void makeVolumes() throws Exception {
    Ext4Image.requireTools();
    PlaneImage having = PlaneImage.fit(Files.createDirectory(directory.resolve("having")));
    without = PlaneImage.fit(Files.createDirectory(directory.resolve("without")));
    without.checkpoint();
    without.change("rm " + PlaneImage.META_FILE, "rm " + PlaneImage.BLOCK_FILE);
    without.show();
    for (int i = 1; i < VOLUMES; i++) {
      String id = String.format(Locale.ROOT, "DS-%03d", i);
      volumes.add(new CountedVolume(without.device(), id));
    }
    volumes.add(new CountedVolume(having.device(), PlaneImage.STORAGE));
    List<LocalVolumes.Candidate> candidates = new ArrayList<>();
    for (CountedVolume volume : volumes) {
      candidates.add(PlaneImage.candidate("volume" + candidates.size(), volume));
    }
    search =
        new StorageSearch(() -> candidates, PlaneImage.owners(), Runnable::run, clock, counters);
    plane = new DevicePlane(search, false, Runnable::run, clock, counters);
  }

  private MapOutcome ask(BlockKey block) throws FallbackException {
    BlockAsk ask = new BlockAsk(new TokenedBlock(block), "", false);
    return plane.maps(DataNodeId.NOBODY, List.of(ask)).get(0);
  }

  private void assertFound() throws FallbackException {
    MapOutcome outcome = ask(PlaneImage.BLOCK);
    assertThat(outcome.refusal()).isNull();
    assertThat(Objects.requireNonNull(outcome.map()).storageId()).isEqualTo(PlaneImage.STORAGE);
  }

  /** Reads of each since this was called last, the volume that has the block behind the others. */
  private List<Integer> taken() {
    return volumes.stream().map(CountedVolume::taken).toList();
  }

  private static List<Integer> ofOthers(List<Integer> taken) {
    return taken.subList(0, VOLUMES - 1);
  }

  /** Blocks that the way to the block's directory is in, and that directory. */
  private static int way(PlaneImage image) throws Ext4Exception {
    Ext4Volume volume = Ext4Volume.open(image.device());
    List<Inode> directories = new ArrayList<>();
    volume.resolve(PlaneImage.DIRECTORY, directories::add);
    Set<Long> blocks = new HashSet<>();
    for (Inode each : directories) {
      blocks.add(each.block());
      for (FileExtent extent : volume.extents(each)) {
        assertThat(extent.length()).as("blocks of a directory").isEqualTo(1);
        blocks.add(extent.physical());
      }
    }
    return blocks.size();
  }

  @Test
  void aStorageThatDoesNotHaveItCostsItsWayAndThreeLooks() throws Exception {
    int way = way(without);
    assertThat(search.all()).hasSize(VOLUMES);
    assertThat(taken()).allSatisfy(reads -> assertThat(reads).isBetween(1, SEARCH_MAX));

    assertFound();
    assertThat(ofOthers(taken()))
        .as("the first time")
        .allSatisfy(reads -> assertThat(reads).isBetween(3 * LOOK + way, 2 * (3 * LOOK + way)));

    assertFound();
    List<Integer> again = taken();
    assertThat(ofOthers(again)).as("a way of %s blocks", way).containsOnly(3 * LOOK + way);
    assertThat(again.get(VOLUMES - 1)).as("two looks and a header").isEqualTo(2 * LOOK + 1);

    MapOutcome outcome = ask(new BlockKey("BP-1", 2, 1001));
    assertThat(Objects.requireNonNull(outcome.refusal()).reason())
        .isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    assertThat(ofOthers(taken())).as("another block").containsOnly(3 * LOOK + way);
  }
}
