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
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Inode;
import io.rdio.core.ext4.MountRecord;
import io.rdio.core.ext4.journal.LogImage;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.MemoryDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Volumes that are not read without their DataNode, each with its reason, and those next to them
 * that are. A volume that is refused as a whole has no storages: its reason is in the detail of
 * DEVICE_NOT_FOUND. {@link DevicePlaneTest} has the plainer ones.
 */
final class UnreadableVolumesTest {
  private static final DataNodeId HOLDER = new DataNodeId("dn", 9866, 9864);
  private static final String RECORD = "/data/" + MountRecord.PATH;
  private static final String VERSION = "/data/current/VERSION";
  private static final List<String> FIT = List.of("rw", "barrier", "data=ordered");
  private static final int STRANGER = 4711;

  @TempDir(factory = InMemory.class)
  Path directory;

  private final ManualClock clock = new ManualClock();
  private final List<LocalVolumes.Candidate> devices = new ArrayList<>();
  private final DevicePlane plane = plane(PlaneImage.owners());

  @BeforeEach
  void requireTools() throws IOException {
    Ext4Image.requireTools();
  }

  private DevicePlane plane(StorageOwners owners) {
    return new DevicePlane(
        () -> devices, owners, false, Runnable::run, clock, new DeviceCounters());
  }

  private PlaneImage changed(String... requests) throws IOException {
    PlaneImage image = PlaneImage.fit(directory);
    image.checkpoint();
    image.change(requests);
    image.show();
    devices.add(image.candidate());
    return image;
  }

  private static MapOutcome ask(DevicePlane plane) throws FallbackException {
    TokenedBlock block = new TokenedBlock(PlaneImage.BLOCK);
    return plane.maps(HOLDER, List.of(new BlockAsk(block, PlaneImage.STORAGE, false))).get(0);
  }

  private FileMap map() throws FallbackException {
    return map(plane);
  }

  private static FileMap map(DevicePlane plane) throws FallbackException {
    MapOutcome outcome = ask(plane);
    assertThat(outcome.refusal()).isNull();
    return Objects.requireNonNull(outcome.map());
  }

  private void assertRefused(FallbackReason reason, String... details) throws FallbackException {
    FallbackException refusal = Objects.requireNonNull(ask(plane).refusal());
    assertThat(refusal.reason()).as(refusal.detail()).isEqualTo(reason);
    assertThat(refusal.detail()).contains(details);
  }

  /** As a whole, so that nobody knows which storage it has. */
  private void assertPassedOver(FallbackReason reason, String detail) throws FallbackException {
    assertRefused(FallbackReason.DEVICE_NOT_FOUND, PlaneImage.STORAGE, reason.name(), detail);
  }

  @Test
  void xfs() throws Exception {
    byte[] bytes = new byte[1 << 20];
    System.arraycopy("XFSB".getBytes(UTF_8), 0, bytes, 0, 4);
    devices.add(PlaneImage.candidate("xfs", new MemoryDevice(bytes, 512)));
    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, PlaneImage.STORAGE, "xfs: XFS_NEEDS_DATANODE");
    TokenedBlock block = new TokenedBlock(PlaneImage.BLOCK);
    assertThat(plane.maps(DataNodeId.NOBODY, List.of(new BlockAsk(block, "", false))))
        .extracting(each -> Objects.requireNonNull(each.refusal()).reason())
        .containsExactly(FallbackReason.XFS_NEEDS_DATANODE);
  }

  /** Which may have anything. */
  @Test
  void deviceThatDoesNotSayWhatItHas() throws Exception {
    LocalVolumes.Candidate late =
        new LocalVolumes.Candidate() {
          @Override
          public String key() {
            return "late";
          }

          @Override
          public LocalVolumes.Opened open() throws FallbackException {
            throw new FallbackException(FallbackReason.DEVICE_TIMEOUT, "no answer");
          }
        };
    devices.add(late);
    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, "late: DEVICE_TIMEOUT, no answer");
  }

  @Test
  void somethingElse() throws Exception {
    devices.add(PlaneImage.candidate("zeros", new MemoryDevice(new byte[1 << 20], 512)));
    assertPassedOver(FallbackReason.METADATA_UNREADABLE, "this is no ext4");
  }

  @Test
  void xfsBesideTheVolumeThatIsMeant() throws Exception {
    byte[] bytes = new byte[1 << 20];
    System.arraycopy("XFSB".getBytes(UTF_8), 0, bytes, 0, 4);
    devices.add(PlaneImage.candidate("xfs", new MemoryDevice(bytes, 512)));
    changed("mkdir /none");
    assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
  }

  @ParameterizedTest
  @CsvSource({
    "-t ext2, without has_journal",
    "-t ext3, without metadata_csum",
    "-t ext4 -O ^has_journal, without has_journal",
    "-t ext4 -O ^metadata_csum, without metadata_csum",
    "-t ext4 -O fast_commit, with fast_commit",
    "'-t ext4 -O ^extents,^64bit', without extent",
  })
  void otherFileSystems(String options, String detail) throws Exception {
    Path content = Files.createDirectory(directory.resolve("none"));
    BlockDevice device =
        Ext4Image.make(directory.resolve("other"), content, "16M", options + " -b 1024").device();
    devices.add(PlaneImage.candidate("other", device));
    assertPassedOver(FallbackReason.FILE_SYSTEM_UNSUPPORTED, detail);
  }

  @ParameterizedTest
  @CsvSource({
    "ssv journal_inum 0, FILE_SYSTEM_UNSUPPORTED, a journal on another device",
    "ssv feature_incompat 0x1002C2, FILE_SYSTEM_UNSUPPORTED, FEATURE_I20",
    "ssv error_count 1, METADATA_UNREADABLE, has errors noted",
    "ssv state 2, METADATA_UNREADABLE, has errors noted",
  })
  void whatTheSuperblockSays(String request, FallbackReason reason, String detail)
      throws Exception {
    changed(request);
    assertPassedOver(reason, detail);
  }

  @ParameterizedTest
  @CsvSource({"4, journal_async_commit", "32, fast_commit", "64, FEATURE_I6"})
  void whatTheLogSays(int feature, String detail) throws Exception {
    LogImage.addFeature(changed("mkdir /none").bytes(), feature);
    assertPassedOver(FallbackReason.FILE_SYSTEM_UNSUPPORTED, detail);
  }

  @ParameterizedTest
  @CsvSource({"4, journal_async_commit", "32, fast_commit"})
  void andFromTheNextLookOnWhatItSaysLater(int feature, String detail) throws Exception {
    PlaneImage image = changed("mkdir /none");
    plane.discard(map());
    LogImage.addFeature(image.bytes(), feature);
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, detail);
  }

  @Test
  void errorsThatAreNotedWhileItIsOpen() throws Exception {
    PlaneImage image = changed("mkdir /none");
    FileMap map = map();
    image.change("ssv error_count 1");
    image.show();
    assertRefused(FallbackReason.METADATA_UNREADABLE, "has errors noted");
    clock.advance(Duration.ofSeconds(2));
    plane.tend();
    assertThat(plane.held()).isZero();
    assertThat(map.guard().isValid(clock.nanos())).isFalse();
  }

  @Test
  void aSuperblockThatMakesNoSense() throws Exception {
    changed("mkdir /none").bytes()[1024 + 0x20] ^= 1;
    assertPassedOver(FallbackReason.METADATA_UNREADABLE, "superblock: checksum");
  }

  /** On the way to the block, and not to its storage, so that this is found. */
  @Test
  void aDirectoryThatMakesNoSense() throws Exception {
    PlaneImage image = changed("mkdir /none");
    OpenVolume opened = OpenVolume.open(image.device(), new DeviceCounters());
    Inode parent = opened.volume().resolve(PlaneImage.DIRECTORY);
    int block = (int) opened.volume().extents(parent).get(0).physical();
    image.bytes()[block * 1024] ^= 1;
    assertRefused(FallbackReason.METADATA_UNREADABLE, "checksum");
    image.bytes()[block * 1024] ^= 1;
    assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
  }

  @ParameterizedTest
  @CsvSource({
    "crtime, 0, -2, is a copy",
    "crtime, 0, -1, ",
    "crtime, 0, 60, ",
    "crtime, 0, 61, is a copy",
    "crtime, -1, -1, of an earlier mount",
    "crtime, -2, -1, ",
    "ctime, -1, 1000, ",
  })
  void whenTheRecordWasMade(String time, long mounted, long made, @Nullable String detail)
      throws Exception {
    long mount = mounted == 0 ? 0 : PlaneImage.MADE + mounted;
    changed("ssv mtime @" + mount, "sif " + RECORD + " " + time + " @" + (PlaneImage.MADE + made));
    if (detail == null) {
      assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
    } else {
      assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, detail);
    }
  }

  @Test
  void inodesThatDoNotSayWhenTheRecordWasMade() throws Exception {
    changed("sif " + RECORD + " extra_isize 0");
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "inodes are too small");
  }

  /** Puts another record in the place of the volume's own. */
  private void replaceRecord(byte[] record) throws IOException {
    PlaneImage image = PlaneImage.fit(directory);
    Path outside = image.outside(record);
    image.checkpoint();
    image.change(
        "rm " + RECORD,
        "write " + outside + " " + RECORD,
        "sif " + RECORD + " crtime @" + PlaneImage.MADE);
    image.show();
    devices.add(image.candidate());
  }

  private static byte[] record(String storage) {
    return new MountRecord(storage, PlaneImage.FS, PlaneImage.MADE, "Linux", FIT).encode();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 40, -4, -1})
  void aRecordThatIsCutShort(int length) throws Exception {
    byte[] whole = record(PlaneImage.STORAGE);
    replaceRecord(Arrays.copyOf(whole, length < 0 ? whole.length + length : length));
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "mount record cannot be read");
  }

  @Test
  void theSameRecordWhole() throws Exception {
    replaceRecord(record(PlaneImage.STORAGE));
    assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
  }

  @Test
  void aRecordOfAnotherStorage() throws Exception {
    replaceRecord(record("DS-two"));
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "is another storage's");
  }

  @Test
  void aRecordThatIsLargerThanAny() throws Exception {
    byte[] whole = record(PlaneImage.STORAGE);
    replaceRecord(Arrays.copyOf(whole, MountRecord.MAX_BYTES + 1));
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "mount record cannot be read");
  }

  /** It is there, and its bytes are not yet: what the device has is somebody else's. */
  @ParameterizedTest
  @ValueSource(strings = {"punch " + RECORD + " 0 0", "sif " + RECORD + " flags 0x84000"})
  void aRecordWhoseBytesAreNotOnTheDevice(String request) throws Exception {
    changed(request);
    assertRefused(FallbackReason.FILE_SYSTEM_UNSUPPORTED, "mount record cannot be read");
  }

  @ParameterizedTest
  @CsvSource({
    "775, 0, ",
    "775, 5, group 5 may write",
    "755, 5, ",
    "757, 0, anybody may write",
  })
  void whoMayWriteOnTheWay(String mode, int group, @Nullable String detail) throws Exception {
    changed("sif / mode 040" + mode, "sif / gid " + group);
    if (detail == null) {
      assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
    } else {
      assertRefused(FallbackReason.DEVICE_NOT_FOUND, detail);
    }
  }

  @Test
  void whoOwnsItIsBelievedIfHeIsNamed() throws Exception {
    changed("sif " + PlaneImage.BLOCK_FILE + " uid " + STRANGER);
    assertRefused(FallbackReason.STORAGE_UNSUPPORTED, "user " + STRANGER);
    List<Integer> uids = new ArrayList<>(PlaneImage.owners().uids());
    uids.add(STRANGER);
    assertThat(map(plane(new StorageOwners(Set.copyOf(uids)))).blockLength())
        .isEqualTo(PlaneImage.BLOCK_BYTES);
  }

  private void replaceVersion(String version) throws IOException {
    PlaneImage image = PlaneImage.fit(directory);
    Path outside = image.outside(version.getBytes(UTF_8));
    image.checkpoint();
    image.change("rm " + VERSION, "write " + outside + " " + VERSION);
    image.show();
    devices.add(image.candidate());
  }

  @ParameterizedTest
  @CsvSource({"-66, true", "-57, true", "-56, false", "-47, false"})
  void layouts(int layout, boolean fit) throws Exception {
    replaceVersion(PlaneImage.version(layout));
    if (fit) {
      assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
    } else {
      assertRefused(FallbackReason.STORAGE_UNSUPPORTED, "layout version " + layout);
    }
  }

  @ParameterizedTest
  @CsvSource({"DATA_NODE, NAME_NODE", "layoutVersion=-57, layoutVersion=", "layoutVersion, none"})
  void aVersionOfSomethingElseIsNoStorage(String part, String other) throws Exception {
    replaceVersion(PlaneImage.version(-57).replace(part, other));
    assertRefused(FallbackReason.DEVICE_NOT_FOUND, PlaneImage.STORAGE);
  }

  /** A folder that was copied to another name of the same volume. */
  @Test
  void oneStorageTwiceOnOneDevice() throws Exception {
    PlaneImage image = PlaneImage.fit(directory);
    Path version = image.outside(PlaneImage.version(-57).getBytes(UTF_8));
    image.checkpoint();
    image.change(
        "mkdir /copy", "mkdir /copy/current", "write " + version + " /copy/current/VERSION");
    image.show();
    devices.add(image.candidate());
    assertRefused(FallbackReason.DEVICE_AMBIGUOUS, PlaneImage.STORAGE);
    image.commit("rm /copy/current/VERSION");
    image.show();
    clock.advance(Duration.ofSeconds(StorageSearch.RETRY_SECONDS + 1));
    assertThat(map().blockLength()).isEqualTo(PlaneImage.BLOCK_BYTES);
  }
}
