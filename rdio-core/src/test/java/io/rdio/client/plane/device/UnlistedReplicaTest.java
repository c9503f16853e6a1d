// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.MountRecord;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas that no DataNode is known for, looked for on all storages of the host. */
final class UnlistedReplicaTest {
  private static final String OTHER = "DS-other";
  private static final byte[] TOKEN = {1, 2, 3};

  @TempDir(factory = InMemory.class)
  Path directory;

  private final ManualClock clock = new ManualClock();
  private final List<LocalVolumes.Candidate> devices = new ArrayList<>();
  private final DevicePlane plane = plane(false);

  @BeforeEach
  void requireTools() throws IOException {
    Ext4Image.requireTools();
  }

  private DevicePlane plane(boolean tokensChecked) {
    return new DevicePlane(
        () -> devices,
        PlaneImage.owners(),
        tokensChecked,
        Runnable::run,
        clock,
        new DeviceCounters());
  }

  private PlaneImage image(String name) throws IOException {
    return PlaneImage.fit(Files.createDirectory(directory.resolve(name)));
  }

  private void open(String name, PlaneImage image) {
    devices.add(PlaneImage.candidate(name, image.device()));
  }

  /** A volume whose storage has another id; it is not fit, for its record has the first one. */
  private PlaneImage unfit() throws IOException {
    PlaneImage image = image("unfit");
    String version = PlaneImage.version(-57).replace(PlaneImage.STORAGE, "DS-zero");
    Path file = image.outside(version.getBytes(UTF_8));
    image.checkpoint();
    image.change("rm /data/current/VERSION", "write " + file + " /data/current/VERSION");
    image.show();
    return image;
  }

  /** A fit volume with another storage, which has the same block. */
  private PlaneImage other() throws IOException {
    PlaneImage image = image("other");
    String version = PlaneImage.version(-57).replace(PlaneImage.STORAGE, OTHER);
    Path versionFile = image.outside(version.getBytes(UTF_8));
    List<String> options = List.of("rw", "barrier", "data=ordered");
    MountRecord record = PlaneImage.record(OTHER, PlaneImage.FS, PlaneImage.MADE, options);
    Path recordFile = image.outside(record.encode());
    String recordPath = "/data/" + MountRecord.PATH;
    image.checkpoint();
    image.change(
        "rm /data/current/VERSION",
        "write " + versionFile + " /data/current/VERSION",
        "rm " + recordPath,
        "write " + recordFile + " " + recordPath,
        "sif " + recordPath + " crtime @" + PlaneImage.MADE);
    image.show();
    return image;
  }

  private String storageAfter(String... bad) throws FallbackException {
    BlockAsk ask = new BlockAsk(new TokenedBlock(PlaneImage.BLOCK, new byte[0]), "", false);
    List<BlockAsk> asks = List.of(ask.after(Set.of(bad)));
    return Objects.requireNonNull(plane.maps(DataNodeId.NOBODY, asks).get(0).map()).storageId();
  }

  private static MapOutcome ask(DevicePlane plane, BlockKey block, byte[] token)
      throws FallbackException {
    BlockAsk ask = new BlockAsk(new TokenedBlock(block, token), "", false);
    return plane.maps(DataNodeId.NOBODY, List.of(ask)).get(0);
  }

  private FileMap map() throws FallbackException {
    MapOutcome outcome = ask(plane, PlaneImage.BLOCK, new byte[0]);
    assertThat(outcome.refusal()).isNull();
    return Objects.requireNonNull(outcome.map());
  }

  private void assertRefused(BlockKey block, FallbackReason reason, String detail)
      throws FallbackException {
    FallbackException refusal = Objects.requireNonNull(ask(plane, block, new byte[0]).refusal());
    assertThat(refusal.reason()).as(refusal.detail()).isEqualTo(reason);
    assertThat(refusal.detail()).contains(detail);
  }

  @Test
  void isFoundByItsIdAndStampAlone() throws Exception {
    assertThat(plane.findsUnlisted()).isTrue();
    open("one", image("one"));
    FileMap map = map();
    assertThat(map.blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
    assertThat(map.storageId()).isEqualTo(PlaneImage.STORAGE);
    assertThat(map.dataNode()).isEqualTo("no DataNode");
  }

  @Test
  void anotherStampIsAnotherBlock() throws Exception {
    open("one", image("one"));
    BlockKey before = new BlockKey("BP-1", 1, 1000);
    assertRefused(before, FallbackReason.REPLICA_NOT_FOUND, "this host has " + before);
    BlockKey ofOthers = new BlockKey("BP-2", 1, 1001);
    assertRefused(ofOthers, FallbackReason.REPLICA_NOT_FOUND, PlaneImage.STORAGE);
  }

  @Test
  void storageThatIsNotFitDoesNotHideTheOneThatHasIt() throws Exception {
    PlaneImage unfit = unfit();
    open("unfit", unfit);
    open("one", image("one"));
    plane.discard(map());
    int reads = unfit.device().reads();
    assertThat(map().storageId()).isEqualTo(PlaneImage.STORAGE);
    assertThat(unfit.device().reads()).as("it is asked last").isEqualTo(reads);
    BlockKey none = new BlockKey("BP-1", 2, 1001);
    assertRefused(none, FallbackReason.FILE_SYSTEM_UNSUPPORTED, "DS-zero");
  }

  @Test
  void replicaThatWasFoundBadIsServedOnlyWhereThereIsNoOther() throws Exception {
    open("one", image("one"));
    open("other", other());
    assertThat(storageAfter(PlaneImage.STORAGE)).isEqualTo(OTHER);
    assertThat(storageAfter(OTHER)).isEqualTo(PlaneImage.STORAGE);
    assertThat(storageAfter(PlaneImage.STORAGE, OTHER)).isIn(PlaneImage.STORAGE, OTHER);
    devices.remove(1);
    clock.advance(Duration.ofSeconds(StorageSearch.REFRESH_SECONDS + 1));
    storageAfter(); // has the devices looked at again
    assertThat(storageAfter(PlaneImage.STORAGE)).isEqualTo(PlaneImage.STORAGE);
  }

  @Test
  void deletedReplicaIsNotServed() throws Exception {
    PlaneImage one = image("one");
    open("one", one);
    plane.discard(map());
    one.commit("rm " + PlaneImage.META_FILE, "rm " + PlaneImage.BLOCK_FILE);
    one.show();
    assertRefused(PlaneImage.BLOCK, FallbackReason.REPLICA_NOT_FOUND, PlaneImage.STORAGE);
  }

  @Test
  void storagesOfOneIdAreLeftOutForOneMayBeAnOlderCopy() throws Exception {
    PlaneImage one = image("one");
    open("one", one);
    devices.add(PlaneImage.candidate("copy", new MemoryDevice(one.bytes().clone(), 512)));
    assertRefused(PlaneImage.BLOCK, FallbackReason.REPLICA_NOT_FOUND, "no storage");
  }

  /** Metadata and data are of one moment: its blocks are right, and deletions missing. */
  @Test
  void olderCopyAloneHasTheBlocksOfItsTime() throws Exception {
    PlaneImage one = image("one");
    MemoryDevice copy = new MemoryDevice(one.bytes().clone(), 512);
    devices.add(PlaneImage.candidate("copy", copy));
    FileMap map = map();
    long place = map.blockExtents().physical(0);
    one.commit("rm " + PlaneImage.META_FILE, "rm " + PlaneImage.BLOCK_FILE);
    one.show();
    one.overwrite(place, 1024, 'X');
    map.guard().before(map, copy, clock.nanos());
    ByteBuffer data = ByteBuffer.allocateDirect(1024).alignedSlice(512).limit(512);
    copy.read(place, data);
    assertThat(data.get(0)).isEqualTo((byte) 'b');
    map.guard().after(map, copy, clock);
    assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
  }

  @Test
  void deviceThatComesLaterIsFoundAfterAPause() throws Exception {
    assertRefused(PlaneImage.BLOCK, FallbackReason.DEVICE_NOT_FOUND, "no storage");
    open("one", image("one"));
    assertRefused(PlaneImage.BLOCK, FallbackReason.DEVICE_NOT_FOUND, "no storage");
    clock.advance(Duration.ofSeconds(StorageSearch.RETRY_SECONDS + 1));
    assertThat(map().storageId()).isEqualTo(PlaneImage.STORAGE);
  }

  @Test
  void isLookedForTwiceAtMostHoweverLongItTakes() {
    AtomicInteger searches = new AtomicInteger();
    AtomicLong now = new AtomicLong();
    DevicePlane slow =
        new DevicePlane(
            () -> {
              assertThat(searches.incrementAndGet()).as("searches").isLessThanOrEqualTo(2);
              return devices;
            },
            PlaneImage.owners(),
            false,
            Runnable::run,
            () -> now.addAndGet(TimeUnit.MINUTES.toNanos(1)), // a look takes as long as it takes
            new DeviceCounters());
    assertThat(reason(slow)).isEqualTo(FallbackReason.DEVICE_NOT_FOUND);
    assertThat(searches).hasValue(2);
  }

  private static FallbackReason reason(DevicePlane plane) {
    try {
      return Objects.requireNonNull(ask(plane, PlaneImage.BLOCK, new byte[0]).refusal()).reason();
    } catch (FallbackException e) {
      return e.reason();
    }
  }

  @Test
  void tokenIsRefusedUnlessItWasChecked() throws Exception {
    open("one", image("one"));
    FallbackException refusal =
        Objects.requireNonNull(ask(plane, PlaneImage.BLOCK, TOKEN).refusal());
    assertThat(refusal.reason()).isEqualTo(FallbackReason.TOKEN_REFUSED);

    DevicePlane ofAgent = plane(true);
    assertThat(ask(ofAgent, PlaneImage.BLOCK, TOKEN).map()).isNotNull();
    BlockAsk listed =
        new BlockAsk(new TokenedBlock(PlaneImage.BLOCK, TOKEN), PlaneImage.STORAGE, false);
    assertThat(ofAgent.maps(new DataNodeId("dn", 1, 2), List.of(listed)).get(0).map()).isNotNull();
  }
}
