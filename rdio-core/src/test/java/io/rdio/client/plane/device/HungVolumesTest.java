// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static io.rdio.core.testing.Patience.await;
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
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.testing.HungDevice;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host with two volumes, one of which hangs: in a search, in a look, in a resolve. */
final class HungVolumesTest {
  private static final String STORAGE = "DS-two";
  private static final BlockKey BLOCK = new BlockKey("BP-1", 2, 1001);
  private static final DataNodeId HOLDER = new DataNodeId("dn", 9866, 9864);

  /** Of a search: for devices that answer, long enough but where the machine stands still. */
  private static final Duration SHORT = Duration.ofMillis(300);

  private static final Duration LONG = Duration.ofMinutes(10);

  @TempDir(factory = InMemory.class)
  Path directory;

  private final ManualClock clock = new ManualClock();
  private final AtomicInteger openings = new AtomicInteger();
  private final Queue<FileMap> lost = new ConcurrentLinkedQueue<>();
  private PlaneImage well;
  private PlaneImage other;
  private HungDevice hung;

  @BeforeEach
  void makeVolumes() throws Exception {
    Ext4Image.requireTools();
    well = PlaneImage.fit(Files.createDirectory(directory.resolve("well")));
    other = withOtherNames(PlaneImage.fit(Files.createDirectory(directory.resolve("other"))));
    hung = new HungDevice(other.device());
  }

  /** Or the threads in it would stay. */
  @AfterEach
  void answer() {
    if (hung != null) {
      hung.answer();
    }
  }

  /** A volume of another storage, with another block. */
  private static PlaneImage withOtherNames(PlaneImage image) throws IOException {
    List<String> options = List.of("rw", "barrier", "data=ordered");
    String id = PlaneImage.version(-57).replace(PlaneImage.STORAGE, STORAGE);
    Path version = image.outside(id.getBytes(UTF_8));
    Path record =
        image.outside(PlaneImage.record(STORAGE, PlaneImage.FS, PlaneImage.MADE, options).encode());
    image.checkpoint();
    image.change(
        "rm /data/current/VERSION",
        "write " + version + " /data/current/VERSION",
        "rm /data/rdio/mount",
        "write " + record + " /data/rdio/mount",
        "sif /data/rdio/mount crtime @" + PlaneImage.MADE,
        "ln " + PlaneImage.BLOCK_FILE + " " + PlaneImage.DIRECTORY + "/blk_2",
        "unlink " + PlaneImage.BLOCK_FILE,
        "ln " + PlaneImage.META_FILE + " " + PlaneImage.DIRECTORY + "/blk_2_1001.meta",
        "unlink " + PlaneImage.META_FILE);
    image.show();
    return image;
  }

  private DevicePlane plane(Duration deviceLimit, Executor background) {
    LocalVolumes.Candidate candidate =
        new LocalVolumes.Candidate() {
          @Override
          public String key() {
            return "hung";
          }

          @Override
          public LocalVolumes.Opened open() {
            openings.incrementAndGet();
            return new LocalVolumes.Opened(other.device(), hung);
          }
        };
    DeviceCounters counters = new DeviceCounters();
    StorageSearch storages =
        new StorageSearch(
            () -> List.of(candidate, PlaneImage.candidate("well", well.device())),
            PlaneImage.owners(),
            background,
            clock,
            counters,
            deviceLimit);
    DevicePlane plane = new DevicePlane(storages, false, background, clock, counters);
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
    return plane;
  }

  private static MapOutcome ask(DevicePlane plane, BlockKey block, String storage)
      throws FallbackException {
    DataNodeId holder = storage.isEmpty() ? DataNodeId.NOBODY : HOLDER;
    return plane
        .maps(holder, List.of(new BlockAsk(new TokenedBlock(block), storage, false)))
        .get(0);
  }

  private static FileMap map(DevicePlane plane, BlockKey block, String storage)
      throws FallbackException {
    MapOutcome outcome = ask(plane, block, storage);
    assertThat(outcome.refusal()).isNull();
    return Objects.requireNonNull(outcome.map());
  }

  private static FallbackException refusal(DevicePlane plane, BlockKey block, String storage)
      throws FallbackException {
    return Objects.requireNonNull(ask(plane, block, storage).refusal());
  }

  /** As a reader who has got the data. */
  private void proveAnew(FileMap map) throws FallbackException {
    map.guard().before(map, well.device(), clock.nanos());
    map.guard().after(map, well.device(), clock);
  }

  /** By a search for each try; the first one does, but where the machine stands still. */
  private FileMap searched(DevicePlane plane, BlockKey block, String storage) {
    return await()
        .until(
            () -> {
              clock.advance(Duration.ofSeconds(StorageSearch.RETRY_SECONDS + 1));
              return ask(plane, block, storage).map();
            },
            Objects::nonNull);
  }

  @Test
  void searchFindsTheOthersAndLeavesOneThreadInTheOneThatHangs() throws Exception {
    DevicePlane plane = plane(SHORT, Runnable::run);
    hung.hang();
    proveAnew(searched(plane, PlaneImage.BLOCK, PlaneImage.STORAGE));
    for (int i = 0; i < 3; i++) {
      clock.advance(Duration.ofSeconds(StorageSearch.RETRY_SECONDS + 1));
      FallbackException refusal = refusal(plane, BLOCK, STORAGE);
      // For it may have xfs: nobody knows.
      assertThat(refusal.reason()).isEqualTo(FallbackReason.XFS_NEEDS_DATANODE);
      assertThat(refusal.detail()).contains("hung: DEVICE_TIMEOUT, nothing within 300 ms");
    }
    await().until(() -> hung.waiting() == 1);
    assertThat(hung.threads()).as("threads in it, however many searches").hasSize(1);
    assertThat(openings).hasValue(1);

    hung.answer();
    proveAnew(searched(plane, BLOCK, STORAGE));
    proveAnew(searched(plane, PlaneImage.BLOCK, PlaneImage.STORAGE));
    await().until(() -> hung.threads().stream().noneMatch(Thread::isAlive));
  }

  @Test
  void lookThatHangsKeepsNoReaderOfAnotherVolumeWaiting() throws Exception {
    DevicePlane plane = plane(LONG, Runnable::run);
    FileMap ofHung = map(plane, BLOCK, STORAGE);
    FileMap ofWell = map(plane, PlaneImage.BLOCK, PlaneImage.STORAGE);
    hung.hang();
    CompletableFuture<Void> reader = proving(ofHung);
    await().until(() -> hung.waiting() == 1);

    proving(ofWell).get(2, TimeUnit.MINUTES);
    FileMap another = map(plane, PlaneImage.BLOCK, PlaneImage.STORAGE);
    proving(another).get(2, TimeUnit.MINUTES);
    assertThat(reader).as("this makes it a test").isNotDone();

    hung.giveUp();
    assertThatThrownBy(() -> reader.get(2, TimeUnit.MINUTES))
        .hasRootCauseInstanceOf(FallbackException.class)
        .hasMessageContaining("DEVICE_TIMEOUT");
    assertThat(ofHung.guard().isValid(clock.nanos())).as("nobody knows what it is now").isFalse();
    assertThat(refusal(plane, BLOCK, STORAGE).reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    hung.answer();
    proveAnew(map(plane, BLOCK, STORAGE));
    assertThat(ofHung.guard().isValid(clock.nanos())).as("failed once").isFalse();
    assertThat(ofWell.guard().isValid(clock.nanos())).isTrue();
  }

  private CompletableFuture<Void> proving(FileMap map) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                proveAnew(map);
                ended.complete(null);
              } catch (FallbackException e) {
                ended.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return ended;
  }

  @Test
  void volumeThatHungIsAskedLastUntilItAnswers() throws Exception {
    DevicePlane plane = plane(LONG, Runnable::run);
    map(plane, BLOCK, "");
    assertThat(readsOfTheOtherFor(plane)).as("it is asked first").isPositive();

    hung.hang();
    hung.giveUp();
    assertThat(refusal(plane, BLOCK, "").reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    hung.answer();
    assertThat(readsOfTheOtherFor(plane)).as("it is asked last").isZero();
    map(plane, BLOCK, "");
    assertThat(readsOfTheOtherFor(plane)).as("and first again, for it answered").isPositive();
  }

  /** Asks for what is on the volume that is well. */
  private int readsOfTheOtherFor(DevicePlane plane) throws FallbackException {
    int before = hung.reads();
    map(plane, PlaneImage.BLOCK, "");
    return hung.reads() - before;
  }

  @Test
  void lookAtWhatIsHeldKeepsNobodyWaitingWhileItHangs() throws Exception {
    Queue<Thread> begun = new ConcurrentLinkedQueue<>();
    DevicePlane plane =
        plane(
            LONG,
            work -> {
              Thread thread = new Thread(work);
              begun.add(thread);
              thread.setDaemon(true);
              thread.start();
            });
    FileMap ofHung = map(plane, BLOCK, STORAGE);
    FileMap ofWell = map(plane, PlaneImage.BLOCK, PlaneImage.STORAGE);
    hung.hang();
    for (int i = 0; i < 5; i++) {
      clock.advance(Duration.ofSeconds(2));
      plane.tend();
      await().until(() -> hung.waiting() == 1);
    }
    assertThat(begun).as("one look at a time").hasSize(1);
    proving(ofWell).get(2, TimeUnit.MINUTES);
    hung.giveUp();
    begun.element().join(TimeUnit.MINUTES.toMillis(2));
    assertThat(begun.element().isAlive()).isFalse();
    assertThat(lost).containsExactly(ofHung);
    assertThat(plane.held()).isEqualTo(1);
    proveAnew(ofWell);

    clock.advance(Duration.ofSeconds(2));
    plane.tend();
    assertThat(begun).as("and the next one begins").hasSize(2);
    for (Thread thread : begun) {
      thread.join(TimeUnit.MINUTES.toMillis(2));
    }
    assertThat(lost).as("the other's map is whole").hasSize(1);
  }
}
