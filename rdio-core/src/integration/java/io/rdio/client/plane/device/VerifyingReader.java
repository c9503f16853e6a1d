// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.plane.FileMap;
import io.rdio.client.read.ExtentReader;
import io.rdio.client.read.ReadContext;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.testing.OneDevice;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads as clients do: by an {@link ExtentReader}, which verifies, and maps anew once. */
final class VerifyingReader extends AttackedReader {
  private final ReadPools pools = ReadPools.withoutQueues(8 << 20);
  private final Maps source;
  private final ReadContext context;
  private @Nullable FileMap opened;
  private @Nullable ExtentReader reader;

  /** With all guards whole. */
  VerifyingReader(LocatedStorage storage, AttackingWriter writer, MonotonicClock clock, long seed) {
    super(storage, writer, clock, true, seed);
    source = new Maps(clock);
    OneDevice devices = new OneDevice(storage.identity(), storage.live().device());
    context = pools.context(source, devices, clock);
  }

  /** The maps of one block: the last one until it is refused, then another. */
  private final class Maps implements FileMapSource {
    private final MonotonicClock clock;
    private @Nullable FileMap last;

    Maps(MonotonicClock clock) {
      this.clock = clock;
    }

    @Override
    public FileMap get(BlockRequest request) throws FallbackException {
      FileMap map = last;
      if (map == null || !map.guard().admits(clock.nanos())) {
        map = resolve(request.block());
        last = map;
      }
      return map;
    }

    @Override
    public boolean holds(BlockKey block) {
      return true; // nothing is to be loaded ahead
    }

    @Override
    public @Nullable FileMap following(BlockRequest request) {
      return null;
    }

    @Override
    public Load begin(BlockRequest request) {
      return Load.DONE;
    }

    @Override
    public void reject(FileMap map, FallbackReason reason) {
      last = null;
    }

    @Override
    public void keepCrcs(FileMap map, int page, int pages, ByteBuffer from, int at, int length) {
      map.keepCrcs(page, pages, from, at, length);
    }
  }

  /** CRCs that did not match. */
  long mismatches() {
    return pools.counters().checksumMismatches.sum();
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // Another object is another map.
  void fetch(FileMap map, int at, ByteBuffer to) throws FallbackException {
    ExtentReader from = reader;
    if (opened != map || from == null) {
      closeReader();
      source.last = map;
      BlockRequest request = new BlockRequest(new TokenedBlock(map.block()), "/file");
      from = ExtentReader.open(context, request, true, map.blockLength());
      opened = map;
      reader = from;
    }
    from.read(at, to, to.position(), to.remaining());
  }

  private void closeReader() {
    ExtentReader old = reader;
    reader = null;
    if (old != null) {
      old.close();
    }
  }

  @Override
  void close() {
    closeReader();
    context.blocksAhead().close();
    pools.readAheads().close();
  }
}
