// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A chunk is read while it is evicted, and its slot given to another one. */
public final class ChunkRaces {
  private static final int LENGTH = 64;
  private static final byte OLD = 1;
  private static final byte NEW = 2;

  private ChunkRaces() {}

  /** A pool of one slot, and a chunk in it. */
  abstract static class OneSlot {
    final SlotPool pool = new SlotPool(1, LENGTH);
    final CachedChunk chunk;

    OneSlot() {
      ByteBuffer slot = Objects.requireNonNull(pool.take());
      fill(slot, OLD);
      chunk = new CachedChunk(pool, slot, LENGTH, 0);
    }

    static void fill(ByteBuffer slot, byte value) {
      for (int i = 0; i < LENGTH; i++) {
        slot.put(i, value);
      }
    }
  }

  /** The reader sees the old bytes, all of them, or is told that the chunk is gone. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "gone before it was acquired, slot used again")
  @Outcome(id = "64, 0", expect = ACCEPTABLE, desc = "read in time, slot used again")
  @Outcome(id = "64, 1", expect = ACCEPTABLE, desc = "in use: the slot was not to be had")
  @Outcome(expect = FORBIDDEN, desc = "overwritten under the reader")
  @State
  public static class ReadAndReuse extends OneSlot {
    @Actor
    public void read(II_Result r) {
      if (chunk.acquire()) {
        for (int i = 0; i < LENGTH; i++) {
          r.r1 += chunk.bytes().get(i) == OLD ? 1 : -LENGTH;
        }
        chunk.release();
      }
    }

    @Actor
    public void evictAndInsert(II_Result r) {
      chunk.release();
      ByteBuffer slot = pool.take();
      if (slot == null) {
        r.r2 = 1;
      } else {
        fill(slot, NEW);
      }
    }
  }

  /** However uses end, the slot is given back once. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "there once, and not twice")
  @Outcome(expect = FORBIDDEN, desc = "lost, or given back twice")
  @State
  public static class EndOfUses extends OneSlot {
    @Actor
    public void reader() {
      if (chunk.acquire()) {
        chunk.release();
      }
    }

    @Actor
    public void evict() {
      chunk.release();
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      r.r1 = pool.take() != null;
      r.r2 = pool.take() == null;
    }
  }
}
