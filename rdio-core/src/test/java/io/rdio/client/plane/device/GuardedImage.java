// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;

/** A volume in memory, and readers of its block by guards; nobody waits for a writer. */
final class GuardedImage {
  final PlaneImage image;
  final ManualClock clock = new ManualClock();
  final DeviceCounters counters = new DeviceCounters();
  final LiveVolume live;
  final LocatedStorage storage;

  /** What the writer does while somebody gives it time. */
  Runnable onPause = () -> {};

  /** What the writer does behind each look. */
  Step onLook = () -> {};

  /** Whether nobody looks any more, but goes by what was known. */
  boolean blind;

  /** What happens between two steps of a reader. */
  interface Step {
    void run() throws IOException;
  }

  /** Makes the guard of what was resolved. */
  interface Guards {
    DeviceGuard of(Moment<ReplicaFiles.Found> moment) throws FallbackException;
  }

  private GuardedImage(PlaneImage image, BlockDevice metadata) throws FallbackException {
    this.image = image;
    this.live = new ImpatientVolume(metadata);
    this.storage = new LocatedStorage(live, PlaneImage.STORAGE, "/data", PlaneImage.owners());
  }

  static GuardedImage of(PlaneImage image) throws FallbackException {
    return new GuardedImage(image, image.device());
  }

  /** With another way to the metadata than to the data. */
  static GuardedImage of(PlaneImage image, BlockDevice metadata) throws FallbackException {
    return new GuardedImage(image, metadata);
  }

  /** One that is fit to be read. */
  static GuardedImage fit(Path directory) throws IOException, FallbackException {
    return of(PlaneImage.fit(directory));
  }

  private final class ImpatientVolume extends LiveVolume {
    ImpatientVolume(BlockDevice metadata) throws FallbackException {
      super(image.device(), metadata, OpenVolume.open(metadata, counters), clock, counters);
    }

    @Override
    OpenVolume look() throws FallbackException {
      if (blind) {
        return current();
      }
      OpenVolume looked = super.look();
      try {
        onLook.run();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      return looked;
    }

    @Override
    void pause(long nanos) {
      clock.advance(Duration.ofNanos(nanos));
      onPause.run();
    }
  }

  /** A map with its guard, and what a reader gets by it. */
  final class Reader {
    final Moment<ReplicaFiles.Found> moment;
    final FileMap map;

    Reader(Guards guards) throws FallbackException {
      moment = storage.resolve(PlaneImage.BLOCK);
      ReplicaFiles.Found found = moment.found();
      map =
          new FileMap(
              PlaneImage.BLOCK,
              new DeviceOrigin("dn", PlaneImage.STORAGE, storage.identity(), found.checksum()),
              found.blockLength(),
              found.blockExtents(),
              found.metaExtents(),
              guards.of(moment));
    }

    Reader() throws FallbackException {
      this(
          moment ->
              new DeviceGuard(
                  live, moment.opened(), moment.found().footprint(), moment.position()));
    }

    void before() throws FallbackException {
      map.guard().before(map, image.device(), clock.nanos());
    }

    byte data() throws FallbackException {
      ByteBuffer page = ByteBuffer.allocateDirect(1024).alignedSlice(512).limit(512);
      image.device().read(map.blockExtents().physical(0), page);
      return page.get(0);
    }

    void after() throws FallbackException {
      map.guard().after(map, image.device(), clock);
    }

    /** The first byte of the block, as one read gives it out. */
    byte read() throws FallbackException {
      before();
      byte data = data();
      after();
      return data;
    }

    boolean isValid() {
      return map.guard().isValid(clock.nanos());
    }

    /** Fails unless what was read is dropped, and the map with it. */
    void assertExpired() {
      assertThatThrownBy(this::after)
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED));
      assertThat(isValid()).isFalse();
      assertThatThrownBy(this::before).isInstanceOf(FallbackException.class);
    }

    /** The writer gives the block's first place to another file. */
    void giveAway(char to) {
      image.overwrite(map.blockExtents().physical(0), 1024, to);
    }
  }

  void assertNone(FallbackReason reason) {
    assertThatThrownBy(Reader::new)
        .isInstanceOfSatisfying(
            FallbackException.class, e -> assertThat(e.reason()).as(e.detail()).isEqualTo(reason));
  }
}
