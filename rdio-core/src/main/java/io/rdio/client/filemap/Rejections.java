// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong lately, so that it is not tried again for each read: refused blocks, replicas
 * found bad, storages whose device is of no use on this host. Thread-safe.
 */
final class Rejections {
  private static final int MAX_ENTRIES = 10_000;

  /** How long a DataNode's refusal of a block stands for all reads of it, at most. */
  static final Duration REFUSAL_MEMORY = Duration.ofSeconds(3);

  private final Duration quarantine;
  private final Duration backOff;
  private final DoubleSupplier random;
  private final Cache<BlockKey, Refused> refused;
  private final Cache<BlockKey, Findings> findings;
  private final Cache<String, FallbackException> uselessStorages;

  private record Refused(FallbackException refusal, Duration lasts) {}

  /**
   * What was found out about the replicas of one block.
   *
   * @param bad the storages that hold them
   * @param last the last finding
   * @param corrupt whether each time the bytes were wrong
   */
  private record Findings(Set<String> bad, int count, FallbackException last, boolean corrupt) {
    Findings and(Findings later) {
      Set<String> both = new HashSet<>(bad);
      both.addAll(later.bad);
      return new Findings(both, count + later.count, later.last, corrupt && later.corrupt);
    }
  }

  /**
   * @param random numbers from 0 to 1, for any thread
   */
  Rejections(FileMapSettings settings, MonotonicClock clock, DoubleSupplier random) {
    this.random = random;
    this.quarantine = settings.quarantine();
    this.backOff = settings.backOff();
    this.refused =
        Caffeine.newBuilder()
            .maximumSize(MAX_ENTRIES)
            .ticker(clock::nanos)
            .executor(Runnable::run)
            .expireAfter(Expiry.writing((BlockKey block, Refused entry) -> entry.lasts()))
            .build();
    this.findings = memory(clock, settings.quarantine());
    this.uselessStorages = memory(clock, settings.backOff());
  }

  private static <K, V> Cache<K, V> memory(MonotonicClock clock, Duration lasts) {
    return Caffeine.newBuilder()
        .maximumSize(MAX_ENTRIES)
        .ticker(clock::nanos)
        .executor(Runnable::run)
        .expireAfterWrite(lasts)
        .build();
  }

  /** Refuses a block that was refused a moment ago or is in quarantine. */
  void check(BlockKey block) throws FallbackException {
    Refused entry = refused.getIfPresent(block);
    if (entry != null) {
      throw entry.refusal();
    }
  }

  /** Remembers for a moment that a block could not be had, where asking again would not help. */
  void refusal(BlockKey block, FallbackException refusal) {
    // Else it is over in a moment, or back-off makes the next try cost nothing.
    if (refusal.reason().policy().memory() == FallbackPolicy.Memory.MOMENT) {
      refused.put(block, new Refused(refusal, refusalMemory()));
    }
  }

  /** Two thirds or more: clients that were refused together do not come back together. */
  private Duration refusalMemory() {
    long most = REFUSAL_MEMORY.toNanos();
    return Duration.ofNanos(most - (long) (random.getAsDouble() * most / 3));
  }

  /** Draws the conclusions from a map that its reader could not use. */
  void rejected(FileMap map, FallbackReason reason) {
    switch (reason.policy().memory()) {
      case NONE, MOMENT -> {
        // The map grew old; nothing is wrong with the replica.
      }
      case BACK_OFF, QUARANTINE -> leaveAlone(map, reason);
    }
  }

  private void leaveAlone(FileMap map, FallbackReason reason) {
    switch (reason.policy().scope()) {
      case STORAGE -> {
        String detail = map.device() + " of storage " + map.storageId() + " on " + map.dataNode();
        uselessStorages.put(map.storageId(), new FallbackException(reason, detail));
      }
      case REPLICA -> found(map, reason);
      case HOST, PLANE, BLOCK, READ -> {
        // Not to be told from a map: who asks for it remembers.
      }
    }
  }

  private void found(FileMap map, FallbackReason reason) {
    boolean corrupt = reason.policy().memory() == FallbackPolicy.Memory.QUARANTINE;
    FallbackException what = new FallbackException(reason, map.toString());
    findings
        .asMap()
        .merge(map.block(), new Findings(Set.of(map.storageId()), 1, what, corrupt), Findings::and);
  }

  /**
   * Refuses a block of which as many replicas were found bad as it has, or a single one twice; for
   * some time, after which all is forgotten. Of one that nobody lists, and that has to be looked
   * for, nobody knows how many it has: all were tried when one that was found bad came again.
   */
  void requireHope(BlockLocation location) throws FallbackException {
    BlockKey block = location.block();
    Findings found = findings.getIfPresent(block);
    if (found == null) {
      return;
    }
    int listed = location.replicas().size();
    if (found.count() < (listed == 0 ? found.bad().size() + 1 : Math.max(2, listed))) {
      return;
    }
    FallbackReason reason =
        found.corrupt() ? FallbackReason.REPLICA_QUARANTINED : found.last().reason();
    String detail =
        found.count()
            + " findings about the replicas of "
            + block
            + ", the last one "
            + found.last().getMessage();
    FallbackException verdict = new FallbackException(reason, detail);
    // A path that failed is often back soon; bytes that were wrong stay wrong.
    refused.put(block, new Refused(verdict, found.corrupt() ? quarantine : backOff));
    findings.invalidate(block);
    throw verdict;
  }

  /** Storages that are not to be asked for a block while another one may have it. */
  Set<String> badStorages(BlockKey block) {
    Set<String> bad = new HashSet<>(uselessStorages.asMap().keySet());
    Findings found = findings.getIfPresent(block);
    if (found != null) {
      bad.addAll(found.bad());
    }
    return bad;
  }

  /** Whether a replica was found bad lately. */
  boolean isBad(BlockKey block, ReplicaLocation replica) {
    Findings found = findings.getIfPresent(block);
    return found != null && found.bad().contains(replica.storageId());
  }

  /**
   * The replicas of a block that are worth asking, those found bad last.
   *
   * @param skipped told why a replica is left out
   */
  List<ReplicaLocation> worthAsking(BlockLocation location, Refusals skipped) {
    List<ReplicaLocation> good = new ArrayList<>(location.replicas().size());
    List<ReplicaLocation> last = new ArrayList<>(1);
    for (ReplicaLocation replica : location.replicas()) {
      FallbackException useless = uselessStorages.getIfPresent(replica.storageId());
      if (useless != null) {
        skipped.add(useless);
      } else if (isBad(location.block(), replica)) {
        last.add(replica);
      } else {
        good.add(replica);
      }
    }
    good.addAll(last);
    return good;
  }

  /** True if asking for a block together with another one is worth its while. */
  boolean allowsPrefetch(BlockKey block) {
    return refused.getIfPresent(block) == null && findings.getIfPresent(block) == null;
  }

  /** Refusals by the replicas of one block; the last meaningful one speaks for all. */
  static final class Refusals {
    private @Nullable FallbackException worst;

    void add(FallbackException refusal) {
      if (worst == null || refusal.reason() != FallbackReason.METADATA_PLANE_BACKOFF) {
        worst = refusal;
      }
    }

    @Nullable FallbackException worst() {
      return worst;
    }
  }
}
