// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.rdio.s3fifo.Cache;
import io.rdio.s3fifo.RemovalCause;
import io.rdio.s3fifo.S3Fifo;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * The races of a cache with room for a single entry, run by jcstress in {@code verify}. In each the
 * arbiter asks whether, once all is quiet, queues, table and weights agree and every value is
 * either in the cache or was freed exactly once.
 */
public final class Races {
  private Races() {}

  /** A value of some weight, freed or not. */
  static final class Value {
    final int weight;
    final AtomicInteger freed = new AtomicInteger();

    Value(int weight) {
      this.weight = weight;
    }
  }

  /** A cache, every value that was given to it, and whether they agree. */
  abstract static class Accounts {
    final Set<Value> values = ConcurrentHashMap.newKeySet();
    final Cache<Integer, Value> cache;

    Accounts(int maximum) {
      cache =
          S3Fifo.newBuilder()
              .maximumWeight(maximum)
              .weigher((Integer key, Value value) -> value.weight)
              .removalListener(
                  (Integer key, Value value, RemovalCause cause) -> value.freed.incrementAndGet())
              .build();
    }

    final Value value(int weight) {
      Value value = new Value(weight);
      values.add(value);
      return value;
    }

    final boolean agree() {
      var sizes = cache.policy().sizes();
      long weight = 0;
      for (Value value : cache.asMap().values()) {
        weight += value.weight;
      }
      boolean freedOnce =
          values.stream().allMatch(v -> v.freed.get() == (cache.asMap().containsValue(v) ? 0 : 1));
      return freedOnce
          && sizes.totalWeight() == weight
          && weight <= cache.policy().getMaximum()
          && sizes.smallEntries() + sizes.mainEntries() == cache.estimatedSize();
    }
  }

  /** A hit comes between the decision to evict and the unlinking. */
  @JCStressTest
  @Outcome(
      id = {"true, true", "false, true"},
      expect = ACCEPTABLE,
      desc = "hit or not, evicted and freed once")
  @State
  public static class HitAndEviction extends Accounts {
    public HitAndEviction() {
      super(1);
      cache.put(1, value(1));
      cache.getIfPresent(1);
    }

    @Actor
    public void hit(ZZ_Result r) {
      r.r1 = cache.getIfPresent(1) != null;
    }

    @Actor
    public void evict() {
      cache.put(2, value(1));
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      r.r2 = agree();
    }
  }

  /** The owner removes what is being evicted. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "freed once")
  @State
  public static class InvalidationAndEviction extends Accounts {
    public InvalidationAndEviction() {
      super(1);
      cache.put(1, value(1));
    }

    @Actor
    public void invalidate() {
      cache.invalidate(1);
    }

    @Actor
    public void evict() {
      cache.put(2, value(1));
    }

    @Arbiter
    public void settle(Z_Result r) {
      r.r1 = agree();
    }
  }

  /**
   * A key comes back while its former entry is evicted: removal must go by identity, not by key.
   */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the new entry is not taken for the old")
  @State
  public static class ReinsertionAndEviction extends Accounts {
    public ReinsertionAndEviction() {
      super(1);
      cache.put(1, value(1));
    }

    @Actor
    public void reinsert() {
      cache.invalidate(1);
      cache.put(1, value(1));
    }

    @Actor
    public void evict() {
      cache.put(2, value(1));
    }

    @Arbiter
    public void settle(Z_Result r) {
      r.r1 = agree();
    }
  }

  /** A value is overwritten while its entry is evicted. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "no value lost or freed twice")
  @State
  public static class OverwriteAndEviction extends Accounts {
    public OverwriteAndEviction() {
      super(1);
      cache.put(1, value(1));
    }

    @Actor
    public void overwrite() {
      cache.put(1, value(1));
    }

    @Actor
    public void evict() {
      cache.put(2, value(1));
    }

    @Arbiter
    public void settle(Z_Result r) {
      r.r1 = agree();
    }
  }

  /** Two overwrites with different weights. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the weight is that of the value that stayed")
  @State
  public static class TwoOverwrites extends Accounts {
    public TwoOverwrites() {
      super(10);
      cache.put(1, value(1));
    }

    @Actor
    public void lighter() {
      cache.put(1, value(2));
    }

    @Actor
    public void heavier() {
      cache.put(1, value(7));
    }

    @Arbiter
    public void settle(Z_Result r) {
      r.r1 = agree();
    }
  }

  /** A key is invalidated while it is loaded. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "cached or freed")
  @State
  public static class LoadAndInvalidation extends Accounts {
    public LoadAndInvalidation() {
      super(1);
    }

    @Actor
    public void load() {
      cache.get(1, key -> value(1));
    }

    @Actor
    public void invalidate() {
      cache.invalidate(1);
    }

    @Arbiter
    public void settle(Z_Result r) {
      r.r1 = agree();
    }
  }

  /** Two threads load the same key. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "one load, one value")
  @State
  public static class TwoLoads extends Accounts {
    private final Value[] got = new Value[2];

    public TwoLoads() {
      super(1);
    }

    @Actor
    public void one() {
      got[0] = cache.get(1, key -> value(1));
    }

    @Actor
    public void other() {
      got[1] = cache.get(1, key -> value(1));
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      r.r1 = got[0] == got[1] && values.size() == 1;
      r.r2 = agree();
    }
  }
}
