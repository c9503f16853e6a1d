// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Reads blocks by maps of the device, warm and cold, and compares what it is handed. */
class AttackedReader {
  private static final int MAX_READS = 200;

  /** By a map that nothing refuses: long enough for its blocks to become another file's. */
  private static final int BLIND_READS = 20_000;

  private final LocatedStorage storage;
  private final Marks.Contents writer;
  private final MonotonicClock clock;
  private final boolean looks;
  private final Random random;
  private final ByteBuffer page =
      ByteBuffer.allocateDirect(2 * AttackingWriter.PAGE)
          .alignedSlice(AttackingWriter.PAGE)
          .limit(AttackingWriter.PAGE);
  final Map<FallbackReason, Integer> refusals = new EnumMap<>(FallbackReason.class);
  final List<String> foreign = new ArrayList<>();
  long pages;
  long maps;

  /**
   * @param writer says whose a content is
   * @param looks whether guards look behind the data; if not, R1 is missing
   */
  AttackedReader(
      LocatedStorage storage,
      Marks.Contents writer,
      MonotonicClock clock,
      boolean looks,
      long seed) {
    this.storage = storage;
    this.writer = writer;
    this.clock = clock;
    this.looks = looks;
    this.random = new Random(seed);
  }

  /** Resolves a block and reads by its map until that is refused, or for a while. */
  final void readOne() {
    int block = random.nextInt(AttackingWriter.BLOCKS);
    try {
      FileMap map = resolve(new BlockKey("BP-1", block, 1001));
      maps++;
      int reads = looks ? 1 + random.nextInt(MAX_READS) : BLIND_READS;
      for (int i = 0; i < reads && foreign.isEmpty(); i++) {
        read(map, AttackingWriter.name(block));
      }
    } catch (FallbackException e) {
      refusals.merge(e.reason(), 1, Integer::sum);
    }
  }

  final FileMap resolve(BlockKey key) throws FallbackException {
    Moment<ReplicaFiles.Found> moment = storage.resolve(key);
    ReplicaFiles.Found found = moment.found();
    return new FileMap(
        key,
        new DeviceOrigin("dn", storage.storageId(), storage.identity(), found.checksum()),
        found.blockLength(),
        found.blockExtents(),
        found.metaExtents(),
        new Switched(storage.live(), moment, looks));
  }

  /** A guard that may lack the look. */
  private static final class Switched extends DeviceGuard {
    private final OpenVolume opened;
    private final boolean looks;

    Switched(LiveVolume live, Moment<ReplicaFiles.Found> moment, boolean looks) {
      super(live, moment.opened(), moment.found().footprint(), moment.position());
      this.opened = moment.opened();
      this.looks = looks;
    }

    @Override
    OpenVolume look() throws FallbackException {
      return looks ? super.look() : opened;
    }

    @Override
    boolean isUnchanged(OpenVolume now, Footprint was) throws FallbackException {
      return !looks || super.isUnchanged(now, was);
    }
  }

  private void read(FileMap map, String name) throws FallbackException {
    int at =
        random.nextInt((int) (map.blockLength() / AttackingWriter.PAGE)) * AttackingWriter.PAGE;
    fetch(map, at, page.position(0));
    pages++;
    for (int i = 0; i < AttackingWriter.PAGE; i += Long.BYTES) {
      long content = page.getLong(i);
      if (!writer.isOf(content, name)) {
        foreign.add(
            name + ": content " + content + " at byte " + (at + i) + ", place " + place(map, at));
        return;
      }
    }
  }

  /** Where on the device a byte of a block lies. */
  static long place(FileMap map, int at) {
    int extent = map.blockExtents().indexOf(at);
    return map.blockExtents().physical(extent) + at - map.blockExtents().start(extent);
  }

  /** Reads a page of a block as its guard has it. */
  void fetch(FileMap map, int at, ByteBuffer to) throws FallbackException {
    map.guard().before(map, storage.live().device(), clock.nanos());
    int all = to.limit();
    for (int from = at; to.position() < all; ) {
      int extentEnd = (int) map.blockExtents().end(map.blockExtents().indexOf(from));
      int count = Math.min(all - to.position(), extentEnd - from);
      storage.live().device().read(place(map, from), to.limit(to.position() + count));
      from += count;
    }
    map.guard().after(map, storage.live().device(), clock);
  }

  /** Gives back what it reads with. */
  void close() {}
}
