// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks of fenced volumes: who gets a map, who does not and why, and when a map is over. */
final class FencedPlaneTest {
  private static final DataNodeId HOLDER = new DataNodeId("dn", 9866, 9864);
  private static final Path NODE = Path.of("/dev/nvme7n1");
  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final String STORAGE = "DS-1";
  private static final BlockKey BLOCK = new BlockKey(POOL, 1, 1001);
  private static final String FILE =
      "data/current/" + POOL + "/current/finalized/subdir0/subdir0/blk_1";
  private static final int BYTES = 1500;

  @TempDir Path directory;

  private final ManualClock clock = new ManualClock();
  private final FakeFences fences = new FakeFences(NODE);
  private final RefusingPlane device = new RefusingPlane(FallbackReason.XFS_NEEDS_DATANODE);
  private final List<FileMap> lost = new ArrayList<>();
  private Executor background = Runnable::run;
  private Duration patience = FencedVolumes.PATIENCE_MAX;
  private FakeCopies copies;
  private FencedPlane plane;

  private final class Lost implements MapListener {
    @Override
    public void lost(FileMap map) {
      lost.add(map);
    }

    @Override
    public void ranOut(FileMap map) {
      throw new AssertionError("time alone ends no map");
    }
  }

  @BeforeEach
  void makeVolume() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    copies = new FakeCopies(directory);
    copies.storage("data", STORAGE);
    copies.replica("data", POOL, 1, 1001, BYTES);
    plane = plane(new StorageOwners(Set.of(copies.owner())));
  }

  private FencedPlane plane(StorageOwners owners) {
    return plane(fences, owners);
  }

  private FencedPlane plane(FakeFences fenced, StorageOwners owners) {
    FenceLooks looks = new FenceLooks(fenced, Duration.ZERO);
    FencedVolume.Means means =
        new FencedVolume.Means(looks, copies, node -> copies.device(), owners);
    FencedPlane made =
        new FencedPlane(
            device,
            new FencedVolumes(means, background, clock, patience),
            clock,
            new DeviceCounters());
    made.listen(new Lost());
    return made;
  }

  private MapOutcome ask(DataNodeId holder, BlockKey block, String storage)
      throws FallbackException {
    return plane
        .maps(holder, List.of(new BlockAsk(new TokenedBlock(block), storage, false)))
        .get(0);
  }

  private FileMap map() throws FallbackException {
    MapOutcome outcome = ask(HOLDER, BLOCK, STORAGE);
    assertThat(outcome.refusal()).isNull();
    return Objects.requireNonNull(outcome.map());
  }

  private void assertRefused(FallbackReason reason, String... details) throws FallbackException {
    FallbackException refusal = Objects.requireNonNull(ask(HOLDER, BLOCK, STORAGE).refusal());
    assertThat(refusal.reason()).as(refusal.detail()).isEqualTo(reason);
    assertThat(refusal.detail()).contains(details);
  }

  private FallbackReason after(FileMap map) {
    return catchThrowableOfType(
            FallbackException.class, () -> map.guard().after(map, copies.device().data(), clock))
        .reason();
  }

  @Test
  void replicaOfFencedVolume() throws Exception {
    FileMap map = map();

    assertThat(map.blockLength()).isEqualTo(BYTES);
    assertThat(map.blockExtents().physical(0)).isEqualTo(copies.place(FILE));
    assertThat(map.metaExtents().physical(0)).isEqualTo(copies.place(FILE + "_1001.meta"));
    assertThat(map.checksum().metaLength(BYTES)).isEqualTo(7 + 3 * 4);
    assertThat(map.origin().mustVerify()).isTrue();
    assertThat(map.device().fsType()).isEqualTo("xfs");
    assertThat(map.device().fsUuid()).isEqualTo(copies.uuid);
    map.guard().before(map, copies.device().data(), clock.nanos());
    int looks = fences.looks();
    map.guard().after(map, copies.device().data(), clock);
    assertThat(fences.looks()).as("behind the read").isEqualTo(looks + 1);
    assertThat(plane.held()).isEqualTo(1);
    plane.release(map);
    assertThat(plane.held()).isZero();
  }

  @Test
  void oneCopyServesAll() throws Exception {
    map();
    clock.advance(Duration.ofHours(1));
    map();
    assertThat(copies.made()).isEqualTo(1);
  }

  @Test
  void nothingIsFenced() throws Exception {
    FakeFences none = new FakeFences();
    plane = plane(none, new StorageOwners(Set.of(copies.owner())));

    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, "by the device", "rdio fence HOST");
    assertThat(none.looks()).isZero();
    none.add(NODE);
    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, "rdio fence HOST");
    clock.advance(Duration.ofSeconds(FencedVolumes.RETRY_SECONDS));
    map();
  }

  @Test
  void recordedButNotSo() throws Exception {
    fences.undo("dead is shut out no more");
    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, NODE + ": dead is shut out no more");
    assertThat(copies.made()).isZero();
  }

  @Test
  void noRightsOrTools() throws Exception {
    copies.unable("xfs_metadump is not here; fix: install xfsprogs");
    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, "install xfsprogs");
    assertThat(copies.made()).isZero();
  }

  @Test
  void copyFails() throws Exception {
    copies.fail("mount failed");
    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, NODE + ": mount failed");
  }

  @Test
  void whatTheDeviceRefusesForOtherReasonsIsRefused() throws Exception {
    device.reason = FallbackReason.TOKEN_REFUSED;
    assertRefused(FallbackReason.TOKEN_REFUSED, "by the device");
    device.reason = FallbackReason.METADATA_UNREADABLE;
    assertRefused(FallbackReason.METADATA_UNREADABLE, "by the device");
    assertThat(copies.made()).isZero();
  }

  @Test
  void blockThatIsListedNowhere() throws Exception {
    device.reason = FallbackReason.REPLICA_NOT_FOUND;
    assertThat(ask(DataNodeId.NOBODY, BLOCK, "").map()).isNotNull();
    FallbackException other =
        Objects.requireNonNull(ask(DataNodeId.NOBODY, new BlockKey(POOL, 2, 1001), "").refusal());
    assertThat(other.reason()).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    device.reason = FallbackReason.TOKEN_REFUSED;
    assertThat(Objects.requireNonNull(ask(DataNodeId.NOBODY, BLOCK, "").refusal()).reason())
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  private String storageAfter(String... bad) throws FallbackException {
    BlockAsk ask = new BlockAsk(new TokenedBlock(BLOCK), "", false).after(Set.of(bad));
    return Objects.requireNonNull(plane.maps(DataNodeId.NOBODY, List.of(ask)).get(0).map())
        .storageId();
  }

  @Test
  void replicaThatWasFoundBadComesLast() throws Exception {
    copies.storage("more", "DS-more");
    copies.replica("more", POOL, 1, 1001, BYTES);
    device.reason = FallbackReason.REPLICA_NOT_FOUND;
    assertThat(storageAfter(STORAGE)).isEqualTo("DS-more");
    assertThat(storageAfter("DS-more")).isEqualTo(STORAGE);
    assertThat(storageAfter(STORAGE, "DS-more")).isIn(STORAGE, "DS-more");
  }

  @Test
  void anotherStampIsAnotherFile() throws Exception {
    FallbackException refusal =
        Objects.requireNonNull(ask(HOLDER, new BlockKey(POOL, 1, 1002), STORAGE).refusal());
    assertThat(refusal.detail()).contains("blk_1_1002.meta");
  }

  @Test
  void metaFileThatDoesNotFit() throws Exception {
    copies.write(FILE, new byte[BYTES + 512]);
    assertRefused(FallbackReason.REPLICA_CHANGED, "do not fit each other");
  }

  @Test
  void storageOfSomebodyElseIsNone() throws Exception {
    plane = plane(new StorageOwners(Set.of(4711)));
    Files.setPosixFilePermissions(
        directory.resolve("data/current"), PosixFilePermissions.fromString("rwxrwxrwx"));
    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, "on xfs: ");
  }

  @Test
  void symbolicLinksAreNotFollowed() throws Exception {
    Path finalized = directory.resolve(FILE).getParent();
    Path moved = Files.move(finalized, directory.resolve("elsewhere"));
    Files.createSymbolicLink(finalized, moved);
    FallbackException refusal = Objects.requireNonNull(ask(HOLDER, BLOCK, STORAGE).refusal());
    assertThat(refusal.detail()).contains("is no directory and no file");
  }

  @Test
  void undoneBehindTheMap() throws Exception {
    FileMap map = map();
    fences.undo("given back");

    assertThat(after(map)).isEqualTo(FallbackReason.LEASE_EXPIRED);

    assertThat(map.guard().isValid(clock.nanos())).isFalse();
    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, "given back");
    assertThat(copies.open()).as("copies of what is fenced no more").isZero();
    fences.redo();
    assertThat(after(map)).as("for good").isEqualTo(FallbackReason.LEASE_EXPIRED);
  }

  @Test
  void fencedAnewBehindTheMap() throws Exception {
    FileMap map = map();
    fences.fenceAnew();

    assertThat(after(map)).isEqualTo(FallbackReason.LEASE_EXPIRED);

    FileMap again = map();
    again.guard().after(again, copies.device().data(), clock);
    assertThat(copies.made()).isEqualTo(2);
    assertThat(copies.open()).isEqualTo(1);
  }

  @Test
  void thisHostWroteToIt() throws Exception {
    FileMap map = map();
    fences.write();
    assertThat(after(map)).isEqualTo(FallbackReason.LEASE_EXPIRED);
  }

  @Test
  void whatIsHeldIsLookedAtOnceASecond() throws Exception {
    FileMap map = map();
    fences.undo("given back");
    assertThat(plane.tend()).isPositive();
    assertThat(lost).isEmpty();

    clock.advance(Duration.ofSeconds(1));
    plane.tend();

    assertThat(lost).containsExactly(map);
    assertThat(plane.held()).isZero();
    assertThat(copies.open()).isZero();
    assertThat(plane.tend()).isEqualTo(Long.MAX_VALUE);
  }

  /** Which has them removed before anybody looks at what is held. */
  @Test
  void mapsOfVolumesThatReadersFoundOver() throws Exception {
    FileMap first = map();
    fences.fenceAnew();
    after(first);
    FileMap second = map();
    clock.advance(Duration.ofSeconds(1));
    plane.tend();
    assertThat(lost).containsExactly(first);

    fences.undo("given back");
    after(second);
    assertRefused(FallbackReason.XFS_NEEDS_DATANODE, "given back");
    clock.advance(Duration.ofSeconds(1));
    plane.tend();
    assertThat(lost).containsExactly(first, second);
    assertThat(plane.held()).isZero();
    assertThat(plane.tend()).isEqualTo(Long.MAX_VALUE);
  }

  /** Or its reader would wait for copies once for each of them. */
  @Test
  void whatComesAlongIsNotSearchedFor() throws Exception {
    background = work -> {}; // the copy is never made
    patience = Duration.ZERO;
    plane = plane(new StorageOwners(Set.of(copies.owner())));

    List<BlockAsk> asks = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      BlockKey block = new BlockKey(POOL, 1 + i, 1001);
      asks.add(new BlockAsk(new TokenedBlock(block), STORAGE, i > 0));
    }

    List<String> details =
        plane.maps(HOLDER, asks).stream()
            .map(outcome -> Objects.requireNonNull(outcome.refusal()).detail())
            .toList();
    assertThat(details.get(0)).contains("is being copied");
    assertThat(details.subList(1, 3)).noneMatch(detail -> detail.contains("is being copied"));
  }

  @Test
  void storageThatTwoDevicesHave() throws Exception {
    fences.add(Path.of("/dev/nvme8n1"));
    // Only who names a storage learns why; and only then both are known.
    assertRefused(FallbackReason.DEVICE_AMBIGUOUS, STORAGE);
    device.reason = FallbackReason.REPLICA_NOT_FOUND;
    assertThat(Objects.requireNonNull(ask(DataNodeId.NOBODY, BLOCK, "").refusal()).reason())
        .isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    assertThat(copies.made()).isEqualTo(2);
  }

  @Test
  void closedWithAllCopies() throws Exception {
    FileMap map = map();
    plane.close();
    assertThat(copies.open()).isZero();
    assertThat(device.closed).isTrue();
    assertThat(after(map)).isEqualTo(FallbackReason.LEASE_EXPIRED);
    assertThat(Objects.requireNonNull(ask(HOLDER, BLOCK, STORAGE).refusal()).reason())
        .isEqualTo(FallbackReason.XFS_NEEDS_DATANODE);
  }
}
