// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.MalformedMessageException;
import io.rdio.agent.ipc.Protocol;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.write.GroupAsk;
import io.rdio.client.write.GroupWriter;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.wire.SlotAsk;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the agent does for the writer on a lane, which writes one block at a time. A process may
 * send several WRITEs before the first is answered, and several are then under way at the devices;
 * anything else is done when they are answered. Answers come in the order of the questions. For one
 * thread at a time; {@link #close} must follow.
 */
final class WriteLaneServer implements AutoCloseable {
  private final AgentParts parts;
  private final Answers answers;

  /** WRITEs under way, the oldest first. */
  private final ArrayDeque<Begun> begun = new ArrayDeque<>();

  private @Nullable WrittenBlock block;

  /** Of that block. */
  private int targets;

  /** Why a block was given up of which the process may have sent more already. */
  private @Nullable FallbackException failure;

  /** Blocks that had ended when a device could still read from the segment. */
  private final List<WrittenBlock> left = new ArrayList<>();

  /** Whether the end of a block failed, so that nobody knows. */
  private boolean leftUnknown;

  /** A WRITE that is to be answered. */
  private record Begun(int tag, int bytes) {}

  /**
   * What an ALLOCATE or an ALLOCATE_GROUP says.
   *
   * @param stripes null for a block of replicas
   */
  private record Asked(
      BlockKey block,
      String file,
      long bytes,
      int type,
      int chunk,
      List<GroupWriter.Target> targets,
      @Nullable AskedStripes stripes) {

    /**
     * Memory for the CRCs of its data: of a group they are put together anew for each block when it
     * is committed. Those of parity count as its stripes do.
     */
    int checksumBytes() {
      int once = WrittenBlock.checksumBytes(bytes, chunk);
      return stripes == null ? once : Math.multiplyExact(2, once);
    }

    List<DataNodeId> nodes() {
      return targets.stream().map(GroupWriter.Target::node).toList();
    }
  }

  WriteLaneServer(AgentParts parts, Answers answers) {
    this.parts = parts;
    this.answers = answers;
  }

  /** Whether a message of some kind is for this: a writer has the lane for itself. */
  boolean takes(int kind) {
    return kind >= Protocol.ALLOCATE || block != null || failure != null;
  }

  /** Whether a WRITE is to be answered. */
  boolean isWriting() {
    return !begun.isEmpty();
  }

  /** Whether one has to be answered before more are taken. */
  boolean isFull() {
    WrittenBlock open = block;
    return open != null && begun.size() >= open.ranges();
  }

  /**
   * Does what a message says, and answers it; or begins a WRITE, unless as many are under way as
   * may.
   *
   * @throws FallbackException to be answered
   */
  void take(ClientProcess process, Frame in) throws IOException, FallbackException {
    int tag = in.tag();
    if (in.kind() != Protocol.WRITE) {
      answerAll();
    }
    try {
      switch (in.kind()) {
        case Protocol.ALLOCATE -> allocate(process, parse(in, null), tag);
        case Protocol.ALLOCATE_GROUP -> allocate(process, parse(in, AskedStripes.parse(in)), tag);
        case Protocol.WRITE -> write(process, in, tag);
        case Protocol.COMMIT -> commit(in, tag);
        case Protocol.ABORT -> abort(in, tag);
        default ->
            throw new MalformedMessageException("a message of kind " + in.kind() + " to a writer");
      }
    } catch (TargetRefusedException e) {
      parts.counters().writesRefused.increment();
      answers.refuseTarget(tag, e);
    } catch (FallbackException e) {
      parts.counters().writesRefused.increment();
      throw e;
    }
  }

  private void allocate(ClientProcess process, Asked asked, int tag)
      throws IOException, FallbackException {
    if (block != null || failure != null) {
      throw new MalformedMessageException("an ALLOCATE while a block is written");
    }
    WritePorts ports = parts.ports().writes();
    if (ports == null) {
      throw new FallbackException(
          FallbackReason.WRITE_UNSUPPORTED,
          "this agent writes nothing: set " + Setting.AGENT_WRITE + " to on for it");
    }
    Opening opening = requireSane(asked);
    process.segment(); // or there is nothing to write from
    ports.rights().check(asked.block(), asked.file(), asked.nodes());
    WrittenBlock opened = open(process, ports.blocks(), asked, opening);
    block = opened;
    targets = asked.targets().size();
    answers.send(answers.begin(Protocol.ALLOCATED, tag).put(opened.unit()).put(opened.limit()));
  }

  private static Asked parse(Frame in, @Nullable AskedStripes stripes)
      throws MalformedMessageException {
    long id = in.getLong();
    long generationStamp = in.getLong();
    String pool = in.getText(Protocol.POOL_MAX);
    String file = in.getText(Protocol.PATH_MAX);
    long bytes = in.getLong();
    int type = in.getInt();
    int chunk = in.getInt();
    List<GroupWriter.Target> targets = targets(in);
    in.end();
    BlockKey key = new BlockKey(pool, id, generationStamp);
    return new Asked(key, file, bytes, type, chunk, targets, stripes);
  }

  private static List<GroupWriter.Target> targets(Frame in) throws MalformedMessageException {
    int count = in.getInt();
    if (count < 1 || count > Protocol.TARGETS_MAX) {
      throw new MalformedMessageException("a block with " + count + " targets");
    }
    List<GroupWriter.Target> targets = new ArrayList<>(count);
    byte[] token = null;
    for (int i = 0; i < count; i++) {
      DataNodeId node = new DataNodeId(in.getText(Protocol.HOST_MAX), in.getInt(), in.getInt());
      String storageId = in.getText(Protocol.STORAGE_MAX);
      if (in.getInt() != 0) {
        token = in.getBytes(Protocol.TOKEN_MAX);
      }
      if (token == null) {
        throw new MalformedMessageException("a first target without a token of its own");
      }
      targets.add(new GroupWriter.Target(node, token, storageId));
    }
    return targets;
  }

  /** How a block is opened that any DataNode may be asked for. */
  @FunctionalInterface
  private interface Opening {
    BlockWrites.Replicas in(BlockWrites blocks) throws FallbackException;
  }

  /** Refuses what no DataNode would be asked for. */
  private static Opening requireSane(Asked asked) throws FallbackException {
    ChecksumSpec.Type type = ChecksumSpec.Type.of(asked.type());
    AskedStripes stripes = asked.stripes();
    try {
      if (stripes != null) {
        GroupAsk group = group(asked, stripes, type);
        return blocks -> blocks.open(group);
      }
      for (GroupWriter.Target target : asked.targets()) {
        new SlotAsk(asked.block(), target.storageId(), asked.bytes(), type, asked.chunk(), 0);
      }
      return blocks ->
          blocks.open(asked.block(), asked.targets(), asked.bytes(), type, asked.chunk());
    } catch (IllegalArgumentException e) {
      throw new FallbackException(
          FallbackReason.WRITE_UNSUPPORTED, asked.block() + ": " + e.getMessage(), e);
    }
  }

  private static GroupAsk group(Asked asked, AskedStripes stripes, ChecksumSpec.Type type) {
    return new GroupAsk(
        asked.block(),
        stripes.layout(),
        stripes.codec(),
        stripes.parity(),
        asked.targets(),
        asked.bytes(),
        type,
        asked.chunk());
  }

  private WrittenBlock open(ClientProcess process, BlockWrites blocks, Asked asked, Opening opening)
      throws FallbackException {
    WritePermits.Permit permit = parts.writePermits().take(process, asked.checksumBytes());
    BlockWrites.Replicas replicas = null;
    WrittenBlock opened = null;
    try {
      replicas = opening.in(blocks);
      if (replicas.capacity() < asked.bytes()) {
        throw new FallbackException(
            FallbackReason.SLOTS_EXHAUSTED,
            asked.block() + " was given " + replicas.capacity() + " bytes of " + asked.bytes());
      }
      opened = new WrittenBlock(replicas, permit, asked.bytes(), asked.chunk());
      return opened;
    } finally {
      if (opened == null) {
        if (replicas != null) {
          replicas.close();
        }
        permit.close();
      }
    }
  }

  private void write(ClientProcess process, Frame in, int tag)
      throws IOException, FallbackException {
    long offset = in.getLong();
    int dataAt = in.getInt();
    int length = in.getInt();
    int crcAt = in.getInt();
    boolean isLast = in.getInt() != 0;
    in.end();
    WrittenBlock open = open("WRITE");
    try {
      open.begin(process.segment(), offset, dataAt, length, crcAt, isLast);
    } catch (FallbackException e) {
      answerAll();
      fail(e);
      throw e;
    }
    begun.add(new Begun(tag, length));
    process.used(System.nanoTime());
  }

  /** Waits for the oldest WRITE, and answers it. */
  void answerOldest() throws IOException {
    Begun oldest = begun.remove();
    try {
      long alive = open("WRITE").finishOldest();
      parts.counters().writtenBytes.add(oldest.bytes);
      answers.send(answers.begin(Protocol.WRITTEN, oldest.tag).put(alive));
    } catch (FallbackException e) {
      fail(e);
      refuse(oldest, e);
      while (isWriting()) {
        refuse(begun.remove(), e);
      }
    }
  }

  private void refuse(Begun write, FallbackException why) throws IOException {
    parts.counters().writesRefused.increment();
    answers.refuse(write.tag, why);
  }

  private void answerAll() throws IOException {
    while (isWriting()) {
      answerOldest();
    }
  }

  /** Gives the block up; what the process sends behind is refused for the same reason. */
  private void fail(FallbackException why) {
    failure = why;
    end();
  }

  private void commit(Frame in, int tag) throws IOException, FallbackException {
    long length = in.getLong();
    int needed = in.getInt();
    in.end();
    WrittenBlock open = open("COMMIT");
    long committed;
    try {
      if (needed < 1 || needed > targets) {
        throw new MalformedMessageException(
            "a COMMIT that needs " + needed + " of " + targets + " targets");
      }
      committed = open.commit(length, needed);
    } finally {
      end();
    }
    parts.counters().blocksWritten.increment();
    parts.counters().replicasLost.add(targets - Long.bitCount(committed));
    answers.send(answers.begin(Protocol.COMMITTED, tag).put(committed));
  }

  /**
   * The block that is written.
   *
   * @throws FallbackException why it was given up
   */
  private WrittenBlock open(String what) throws MalformedMessageException, FallbackException {
    if (failure != null) {
      throw failure;
    }
    if (block == null) {
      throw new MalformedMessageException("a " + what + " without a block");
    }
    return block;
  }

  /** Of no block, too: who gave up does not know whether there is one. */
  private void abort(Frame in, int tag) throws IOException {
    in.end();
    failure = null;
    end();
    answers.ok(tag);
  }

  private void end() {
    WrittenBlock open = block;
    block = null;
    if (open != null) {
      boolean before = leftUnknown;
      leftUnknown = true; // until it has said what is
      open.close();
      leftUnknown = before;
      left.removeIf(ended -> !ended.isUnderWay());
      if (open.isUnderWay()) {
        left.add(open);
      }
    }
  }

  /** Whether a device may still read from the segment for nobody. To be asked behind the end. */
  boolean leavesUnderWay() {
    return leftUnknown || left.stream().anyMatch(WrittenBlock::isUnderWay);
  }

  /** Gives up what was not committed. */
  @Override
  public void close() {
    end();
  }
}
