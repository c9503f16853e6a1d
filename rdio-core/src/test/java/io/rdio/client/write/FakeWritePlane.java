// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.write.SlotEnd;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The write plane of some DataNodes, which holds whoever writes to W10 and W11: it is told of no
 * lease that was not ended, and commits nothing that was not flushed behind its last write.
 */
public final class FakeWritePlane implements WritePlane {
  static final Duration MARGIN = Duration.ofSeconds(2);

  /** CRCs of what was committed, by DataNode and block. */
  public final Map<String, byte[]> committed = new ConcurrentHashMap<>();

  /** Called first in each call. */
  volatile Runnable before = () -> {};

  /** What was against W10 or W11, in whichever thread, where maybe nobody hears of it. */
  final Queue<AssertionError> violations = new ConcurrentLinkedQueue<>();

  private final Map<DataNodeId, FakeDataNode> nodes;
  private final MonotonicClock clock;
  private volatile String asked = "";

  FakeWritePlane(Map<DataNodeId, FakeDataNode> nodes, MonotonicClock clock) {
    this.nodes = nodes;
    this.clock = clock;
  }

  /** The host of the DataNode that was asked last. */
  String asked() {
    return asked;
  }

  static String key(DataNodeId target, BlockKey block) {
    return target.host() + " " + block.blockId();
  }

  private FakeDataNode called(DataNodeId target) {
    asked = target.host();
    before.run();
    return nodes.get(target);
  }

  private long deadline(long sent, FakeDataNode node) {
    return sent + Duration.ofMillis(node.leaseMillis).minus(MARGIN).toNanos();
  }

  @Override
  public WriteSlot allocate(DataNodeId target, byte[] token, SlotAsk ask) throws FallbackException {
    long sent = clock.nanos();
    FakeDataNode node = called(target);
    return node.lend(new TokenedBlock(ask.block(), token), ask, deadline(sent, node));
  }

  @Override
  public List<OptionalLong> renew(DataNodeId target, List<WriteSlot> slots)
      throws FallbackException {
    long sent = clock.nanos();
    FakeDataNode node = called(target);
    node.renewals.add(slots.size());
    FallbackException silence = node.silence;
    if (silence != null) {
      throw silence;
    }
    List<OptionalLong> deadlines = new ArrayList<>();
    for (int i = 0; i < slots.size(); i++) {
      deadlines.add(node.endsLeases ? OptionalLong.empty() : OptionalLong.of(deadline(sent, node)));
    }
    return deadlines;
  }

  @Override
  public void commit(DataNodeId target, WriteSlot slot, long length, ByteBuffer checksums)
      throws FallbackException {
    FakeDataNode node = called(target);
    node.commits.add((int) length);
    requireCommittable(node.leaseOn(slot));
    FallbackException refusal = node.commitRefusals.poll();
    if (refusal != null) {
      throw refusal;
    }
    byte[] crcs = new byte[checksums.remaining()];
    checksums.duplicate().get(crcs);
    committed.put(key(target, slot.block().block()), crcs);
  }

  private void requireCommittable(MemorySlotDevice.Lease lease) {
    try {
      assertThat(lease.end).as("W10, W11: the end of the lease").isEqualTo(WriteEnd.CLEAN);
      assertThat(lease.isFlushed).as("W11: flushed behind the last write").isTrue();
    } catch (AssertionError e) {
      violations.add(e);
      throw e;
    }
  }

  @Override
  public List<Ended> abort(DataNodeId target, List<Ended> ended) throws FallbackException {
    FakeDataNode node = called(target);
    for (Ended each : ended) {
      for (MemorySlotDevice.Lease lease : node.leasesOn(each.slot())) {
        assertThat(lease.isEnded()).as("W10: the lease is ended").isTrue();
        assertThat(each.quiet() && lease.end == WriteEnd.UNDER_WAY).as("quiet").isFalse();
        boolean unwritten = each.how() == SlotEnd.UNWRITTEN;
        assertThat(unwritten && lease.wasWritten).as("unwritten").isFalse();
      }
    }
    node.aborted.addAll(ended);
    FallbackException silence = node.silence;
    if (silence != null) {
      throw silence;
    }
    return ended.stream().filter(node.hearsLate).toList();
  }
}
