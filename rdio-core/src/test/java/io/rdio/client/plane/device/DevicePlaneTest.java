// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.MemoryDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DevicePlaneTest {
  private static final DataNodeId HOLDER = new DataNodeId("dn", 9866, 9864);

  private static final List<String> FIT = List.of("rw", "barrier", "data=ordered");

  @TempDir(factory = InMemory.class)
  Path directory;

  private final ManualClock clock = new ManualClock();
  private final DeviceCounters counters = new DeviceCounters();
  private final List<LocalVolumes.Candidate> devices = new ArrayList<>();
  private final List<FileMap> lost = new ArrayList<>();
  private final DevicePlane plane =
      new DevicePlane(() -> devices, PlaneImage.owners(), false, Runnable::run, clock, counters);
  private PlaneImage image;

  @BeforeEach
  void requireTools() throws IOException {
    Ext4Image.requireTools();
    plane.listen(
        new MapListener() {
          @Override
          public void lost(FileMap map) {
            lost.add(map);
          }

          @Override
          public void ranOut(FileMap map) {
            throw new AssertionError("time alone ends no map of the device");
          }
        });
  }

  private void open(PlaneImage made) {
    image = made;
    devices.add(made.candidate());
  }

  private MapOutcome ask(TokenedBlock block, String storage) throws FallbackException {
    return plane.maps(HOLDER, List.of(new BlockAsk(block, storage, false))).get(0);
  }

  private FileMap map() throws FallbackException {
    MapOutcome outcome = ask(new TokenedBlock(PlaneImage.BLOCK), PlaneImage.STORAGE);
    assertThat(outcome.refusal()).isNull();
    return Objects.requireNonNull(outcome.map());
  }

  private void assertRefused(FallbackReason reason, String detail) throws FallbackException {
    assertRefused(new TokenedBlock(PlaneImage.BLOCK), PlaneImage.STORAGE, reason, detail);
  }

  private void assertRefused(
      TokenedBlock block, String storage, FallbackReason reason, String detail)
      throws FallbackException {
    FallbackException refusal = Objects.requireNonNull(ask(block, storage).refusal());
    assertThat(refusal.reason()).as(refusal.detail()).isEqualTo(reason);
    assertThat(refusal.detail()).contains(detail);
    assertThat(plane.held()).isZero();
  }

  @Test
  void aReplicaIsFoundByStorageAndId() throws Exception {
    open(PlaneImage.fit(directory));
    FileMap map = map();
    assertThat(map.blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
    assertThat(map.checksum()).isEqualTo(new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7));
    assertThat(map.origin().mustVerify()).isTrue();
    assertThat(map.guard().remainingNanos(clock.nanos())).isEqualTo(Long.MAX_VALUE);
    assertThat(plane.held()).isOne();

    long opened = counters.volumesOpened.sum();
    map();
    assertThat(counters.volumesOpened.sum()).as("the search was once").isEqualTo(opened);
    assertThat(counters.blockHits.sum()).isPositive();
  }

  @Test
  void whatIsNotThereIsRefused() throws Exception {
    open(PlaneImage.fit(directory));
    TokenedBlock none = new TokenedBlock(new BlockKey("BP-1", 2, 1001));
    assertRefused(none, PlaneImage.STORAGE, FallbackReason.REPLICA_NOT_FOUND, "blk_2");
    TokenedBlock later = new TokenedBlock(new BlockKey("BP-1", 1, 1002));
    assertRefused(later, PlaneImage.STORAGE, FallbackReason.REPLICA_NOT_FOUND, "blk_1_1002");
    TokenedBlock block = new TokenedBlock(PlaneImage.BLOCK);
    assertRefused(block, "DS-two", FallbackReason.DEVICE_NOT_FOUND, "DS-two");
    assertRefused(block, "", FallbackReason.LOCATION_UNKNOWN, "which storage");
    TokenedBlock tokened = new TokenedBlock(PlaneImage.BLOCK, new byte[] {1, 2, 3});
    assertRefused(tokened, PlaneImage.STORAGE, FallbackReason.TOKEN_REFUSED, "block tokens");
  }

  @Test
  void twoDevicesWithOneStorageAreRefused() throws Exception {
    open(PlaneImage.fit(directory));
    devices.add(PlaneImage.candidate("copy", new MemoryDevice(image.bytes().clone(), 512)));
    assertRefused(FallbackReason.DEVICE_AMBIGUOUS, PlaneImage.STORAGE);
  }

  @ParameterizedTest
  @CsvSource({
    "data=writeback barrier, not mounted with data=ordered",
    "data=ordered nobarrier, without barrier",
    "data=ordered barrier journal_async_commit, journal_async_commit",
  })
  void aMountThatDoesNotKeepOrderIsRefused(String options, String detail) throws Exception {
    open(new PlaneImage(directory, List.of(options.split(" "))));
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, detail);
  }

  @Test
  void aRecordOfAnEarlierMountCountsNot() throws Exception {
    PlaneImage earlier = PlaneImage.fit(directory);
    earlier.checkpoint();
    earlier.change("ssv mtime @" + PlaneImage.MADE);
    earlier.show();
    open(earlier);
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "of an earlier mount");
  }

  @Test
  void aRecordKeepsItsAgeWhenItsOwnerChanges() throws Exception {
    PlaneImage earlier = PlaneImage.fit(directory);
    earlier.checkpoint();
    earlier.change("ssv mtime @" + PlaneImage.MADE, "sif /data/rdio/mount ctime now");
    earlier.show();
    open(earlier);
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "of an earlier mount");
  }

  @Test
  void aCopyOfARecordCountsNot() throws Exception {
    PlaneImage copied = PlaneImage.fit(directory);
    copied.checkpoint();
    copied.change("sif /data/rdio/mount crtime @" + (PlaneImage.MADE + 100));
    copied.show();
    open(copied);
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "is a copy");
  }

  @Test
  void aRecordOfAnotherFileSystemCountsNot() throws Exception {
    PlaneImage copied = PlaneImage.fit(directory);
    byte[] record = PlaneImage.record(new UUID(1, 2), PlaneImage.MADE, FIT).encode();
    Path outside = copied.outside(record);
    copied.checkpoint();
    copied.change("rm /data/rdio/mount", "write " + outside + " /data/rdio/mount");
    copied.show();
    open(copied);
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "another file system");
  }

  @ParameterizedTest
  @CsvSource({
    "sif / mode 040777, no ext4 device",
    "sif /data mode 040757, no ext4 device",
    "sif /data uid 4711, no ext4 device",
    "sif /data/current/VERSION uid 4711, no ext4 device",
    "sif /data/rdio/mount uid 4711, 4711",
    "sif /data/current/BP-1/current/finalized mode 040777, anybody may write",
    "sif /data/current/BP-1/current/finalized/subdir0/subdir0/blk_1 uid 4711, 4711",
    "sif /data/current/BP-1/current/finalized/subdir0/subdir0/blk_1 mode 0100666, anybody",
  })
  void whatOthersMayWriteIsNotBelieved(String request, String detail) throws Exception {
    PlaneImage open = PlaneImage.fit(directory);
    open.checkpoint();
    open.change(request);
    open.show();
    open(open);
    FallbackException refusal =
        Objects.requireNonNull(
            ask(new TokenedBlock(PlaneImage.BLOCK), PlaneImage.STORAGE).refusal());
    assertThat(refusal.detail()).contains(detail);
  }

  @ParameterizedTest
  @ValueSource(strings = {"../BP-1", "BP-1/../BP-1", ".", "..", "", "BP-1/current"})
  void aPoolThatIsAPathIsRefused(String pool) throws Exception {
    open(PlaneImage.fit(directory));
    TokenedBlock block = new TokenedBlock(new BlockKey(pool, 1, 1001));
    assertRefused(block, PlaneImage.STORAGE, FallbackReason.REPLICA_NOT_FOUND, "no block pool");
  }

  @Test
  void oneOddDirectoryDoesNotEndTheScan() throws Exception {
    PlaneImage odd = PlaneImage.fit(directory);
    odd.checkpoint();
    odd.change("mkdir /a", "sif /a flags 0x40080000", "mkdir /b", "sif /b block[2] 77");
    odd.show();
    open(odd);
    assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
    assertRefused(new TokenedBlock(PlaneImage.BLOCK), "DS-none", "/a");
  }

  private void assertRefused(TokenedBlock block, String storage, String detail)
      throws FallbackException {
    FallbackException refusal = Objects.requireNonNull(ask(block, storage).refusal());
    assertThat(refusal.detail()).contains(detail);
  }

  @Test
  void anotherDeviceWithTheSameStorageIsFoundLater() throws Exception {
    open(PlaneImage.fit(directory));
    map();
    devices.add(PlaneImage.candidate("copy", new MemoryDevice(image.bytes().clone(), 512)));
    map();
    clock.advance(Duration.ofSeconds(StorageSearch.REFRESH_SECONDS + 1));
    map(); // which has it looked for
    FallbackException refusal =
        Objects.requireNonNull(
            ask(new TokenedBlock(PlaneImage.BLOCK), PlaneImage.STORAGE).refusal());
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_AMBIGUOUS);
  }

  @Test
  void aVolumeWithoutRecordIsRefused() throws Exception {
    PlaneImage without = PlaneImage.fit(directory);
    without.commit("rm /data/rdio/mount");
    without.show();
    open(without);
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "no mount record");
  }

  @Test
  void aRecordThatGoesIsMissedAtTheNextResolve() throws Exception {
    open(PlaneImage.fit(directory));
    plane.discard(map());
    image.commit("rm /data/rdio/mount");
    image.show();
    plane.discard(map()); // which looks
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "no mount record");
  }

  @Test
  void anOlderLayoutIsRefused() throws Exception {
    PlaneImage old = PlaneImage.fit(directory);
    Path version = old.outside(PlaneImage.version(-56).getBytes(UTF_8));
    old.checkpoint();
    old.change("rm /data/current/VERSION", "write " + version + " /data/current/VERSION");
    old.show();
    open(old);
    assertRefused(FallbackReason.STORAGE_UNSUPPORTED, "layout version -56");
  }

  @Test
  void whatIsNotExt4DoesNotHideTheOthers() throws Exception {
    devices.add(PlaneImage.candidate("empty", new MemoryDevice(new byte[1 << 20], 512)));
    open(PlaneImage.fit(directory));
    assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-O ^has_journal", "-O ^metadata_csum", "-O fast_commit"})
  void fileSystemsThatDoNotServe(String options) throws Exception {
    Path content = Files.createDirectory(directory.resolve("none"));
    Path file = directory.resolve("other");
    Ext4Image other = Ext4Image.make(file, content, "16M", "-t ext4 -b 1024 " + options);
    assertThatThrownBy(() -> OpenVolume.open(other.device(), counters))
        .hasMessageContaining("FILE_SYSTEM_UNSUPPORTED");
  }

  @Test
  void errorsInTheSuperblockAreRefused() throws Exception {
    PlaneImage bad = PlaneImage.fit(directory);
    bad.change("ssv error_count 1");
    bad.show();
    assertThatThrownBy(() -> OpenVolume.open(bad.device(), counters))
        .hasMessageContaining("METADATA_UNREADABLE");
  }

  @Test
  void filesOfWhichNotAllHasAPlaceAreRefused() throws Exception {
    PlaneImage holed = PlaneImage.fit(directory);
    holed.checkpoint();
    holed.change("punch " + PlaneImage.BLOCK_FILE + " 2 3");
    holed.show();
    open(holed);
    assertRefused(FallbackReason.EXTENTS_UNMAPPABLE, "hole");
  }

  @Test
  void filesThatDoNotFitEachOtherAreRefused() throws Exception {
    PlaneImage cut = PlaneImage.fit(directory);
    cut.commit("sif " + PlaneImage.BLOCK_FILE + " size 7000");
    cut.show();
    open(cut);
    assertRefused(FallbackReason.REPLICA_CHANGED, "do not fit");
  }

  @Test
  void withoutChecksumsNothingIsRead() throws Exception {
    PlaneImage nulled = PlaneImage.fit(directory);
    open(nulled);
    long meta = map().metaExtents().physical(0);
    nulled.overwrite(meta + 2, 1, '\0');
    plane.close();
    DevicePlane again =
        new DevicePlane(() -> devices, PlaneImage.owners(), false, Runnable::run, clock, counters);
    BlockAsk ask = new BlockAsk(new TokenedBlock(PlaneImage.BLOCK), PlaneImage.STORAGE, false);
    FallbackException refusal = again.maps(HOLDER, List.of(ask)).get(0).refusal();
    assertThat(Objects.requireNonNull(refusal).reason())
        .isEqualTo(FallbackReason.CHECKSUM_UNSUPPORTED);
  }

  @Test
  void tendingDropsMapsOfFilesThatAreGone() throws Exception {
    open(PlaneImage.fit(directory));
    FileMap map = map();
    assertThat(plane.tend()).isPositive();
    clock.advance(Duration.ofSeconds(2));
    plane.tend();
    assertThat(plane.held()).isOne();

    image.commit("rm " + PlaneImage.META_FILE);
    image.show();
    clock.advance(Duration.ofSeconds(2));
    plane.tend();
    assertThat(lost).containsExactly(map);
    assertThat(plane.held()).isZero();
    assertThat(map.guard().isValid(clock.nanos())).isFalse();
    assertThat(plane.tend()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void whoGivesAMapUpHasItNoMore() throws Exception {
    open(PlaneImage.fit(directory));
    FileMap map = map();
    assertThat(plane.discard(map)).isTrue();
    assertThat(plane.discard(map)).isFalse();
    FileMap other = map();
    plane.close();
    assertThat(other.guard().admits(clock.nanos())).isFalse();
    assertRefused(FallbackReason.DEVICE_NOT_FOUND, "closed");
  }
}
