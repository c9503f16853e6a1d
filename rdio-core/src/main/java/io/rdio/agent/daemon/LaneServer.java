// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.Connection;
import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.MalformedMessageException;
import io.rdio.agent.ipc.Protocol;
import io.rdio.client.plane.FileMap;
import io.rdio.client.read.TransferBlock;
import io.rdio.client.read.TransferQueue;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent's end of one lane: reads what the process asks for, on a thread of its own. While READs
 * are under way it looks for further questions without waiting for any, so that the device has as
 * much to do as the process wants; then it waits for the oldest READ and answers it. A lane that is
 * asked nothing for a while gives its io_uring back, and what that has pinned. While a block is
 * written on it ({@link WriteLaneServer}) nothing is read on it, and WRITEs are treated alike.
 *
 * <p>Nothing that comes from the process is believed: a message that breaks the protocol ends the
 * lane, and so does an answer that is not taken.
 */
final class LaneServer implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LaneServer.class);

  private final Connection connection;
  private final long uid;
  private final long pid;
  private final AgentParts parts;
  private final Frame in = new Frame();
  private final Answers answers;
  private final WriteLaneServer writes;
  private final Asked[] asked = new Asked[Protocol.READS_MAX];
  private int first;
  private int count;
  private @Nullable ClientProcess process;
  private @Nullable LaneTransfers transfers;

  /** Whether something may be written to the process's memory that nobody waits for. */
  private boolean underWay;

  /** What a READ under way was asked as. */
  private static final class Asked {
    int tag;
    int crcAt;
    boolean alone;
    @Nullable FallbackException refusal;

    void begin(int itsTag, int itsCrcAt, int flags) {
      tag = itsTag;
      crcAt = itsCrcAt;
      alone = (flags & Protocol.ALONE) != 0;
      refusal = null;
    }
  }

  /**
   * @param connection closed when this has run
   * @param peer uid, gid and pid
   */
  LaneServer(Connection connection, long[] peer, AgentParts parts) {
    this.connection = connection;
    this.uid = peer[0];
    this.pid = peer[2];
    this.parts = parts;
    this.answers = new Answers(connection, parts.counters());
    this.writes = new WriteLaneServer(parts, answers);
    for (int i = 0; i < asked.length; i++) {
      asked[i] = new Asked();
    }
  }

  /** Has it end soon; from any thread. */
  void shutdown() {
    connection.shutdown();
  }

  @Override
  public void run() {
    try {
      new Handshake(connection, answers, parts, owner -> process = owner).begin(in, uid, pid);
      while (true) {
        serve();
      }
    } catch (EOFException e) {
      LOG.trace("RDIO: a lane of process {} of user {} has ended", pid, uid);
    } catch (MalformedMessageException e) {
      parts.counters().malformed.increment();
      LOG.warn("RDIO: process {} of user {} breaks the protocol: {}", pid, uid, e.getMessage());
    } catch (IOException e) {
      LOG.debug("RDIO: a lane of process {} of user {} has ended", pid, uid, e);
    } finally {
      end();
    }
  }

  private void serve() throws IOException {
    if (writes.isWriting()) {
      if (writes.isFull() || !connection.receive(in, false)) {
        writes.answerOldest();
      } else {
        take();
      }
    } else if (count == 0) {
      if (connection.receive(in, true)) {
        take();
      } else {
        rest();
      }
    } else if (count == asked.length || asked[first].alone || !connection.receive(in, false)) {
      answerOldest();
    } else {
      take();
    }
  }

  private void take() throws IOException {
    int tag = in.tag();
    if (in.kind() == Protocol.READ && !writes.takes(Protocol.READ)) {
      pinIfDue();
      read(tag);
      return;
    }
    answerAll(); // answers come in the order of the questions
    try {
      if (writes.takes(in.kind())) {
        writes.take(process(), in);
        return;
      }
      switch (in.kind()) {
        case Protocol.SEGMENT -> segment(tag);
        case Protocol.OPEN -> open(tag);
        case Protocol.CLOSE -> close();
        case Protocol.MISMATCH -> mismatch(tag);
        default -> throw new MalformedMessageException("a message of kind " + in.kind());
      }
    } catch (FallbackException e) {
      answers.refuse(tag, e);
    }
  }

  private void answerAll() throws IOException {
    while (count > 0) {
      answerOldest();
    }
  }

  private void pinIfDue() throws IOException {
    LaneTransfers reads = transfers;
    if (reads != null && reads.isPinDue()) {
      answerAll();
      reads.pin();
    }
  }

  private void segment(int tag) throws IOException, FallbackException {
    long length = in.getLong();
    in.end();
    int passed = connection.takePassed();
    SegmentMemory memory = SegmentMemory.map(passed, length, parts.limits().segmentBytes());
    process().share(memory);
    answers.ok(tag);
  }

  private void open(int tag) throws IOException, FallbackException {
    int flags = in.getInt();
    long id = in.getLong();
    long generationStamp = in.getLong();
    String pool = in.getText(Protocol.POOL_MAX);
    String file = in.getText(Protocol.PATH_MAX);
    byte[] token = in.getBytes(Protocol.TOKEN_MAX);
    in.end();
    BlockRequest request =
        new BlockRequest(new TokenedBlock(new BlockKey(pool, id, generationStamp), token), file);
    long rightUntil = parts.ports().rights().check(request);
    if ((flags & Protocol.WANTS_LITTLE) != 0) {
      parts.ports().firstReads().check(request);
    }
    TransferBlock block = TransferBlock.open(parts.readContext(), request);
    int handle = process().blocks().add(block, rightUntil);
    parts.counters().opens.increment();
    if ((flags & Protocol.READS_ON) != 0) {
      parts.readContext().maps().following(request);
    }
    answers.send(
        answers
            .begin(Protocol.OPENED, tag)
            .put(handle)
            .put(block.length())
            .put(block.checksum().type().id())
            .put(block.checksum().bytesPerChecksum()));
  }

  private void close() throws IOException {
    int handle = in.getInt();
    in.end();
    process().blocks().close(handle);
  }

  /** Looks for itself: what a process says of a replica is the process's word only. */
  private void mismatch(int tag) throws IOException, FallbackException {
    int handle = in.getInt();
    long chunkAt = in.getLong();
    in.end();
    TransferBlock block = process().blocks().get(handle);
    parts.counters().mismatches.increment();
    List<FileMap> wrong = block.recheck(chunkAt);
    if (wrong.isEmpty()) {
      parts.counters().unfoundedMismatches.increment();
    }
    for (FileMap suspect : wrong) {
      parts.ports().suspects().found(block.request(), suspect, chunkAt);
    }
    answers.ok(tag);
  }

  /** Begins a READ; its answer comes in its turn, also if it is a refusal. */
  private void read(int tag) throws IOException {
    int handle = in.getInt();
    int flags = in.getInt();
    long from = in.getLong();
    int length = in.getInt();
    int dataAt = in.getInt();
    int dataRoom = in.getInt();
    int crcAt = in.getInt();
    int crcRoom = in.getInt();
    in.end();
    Asked read = asked[(first + count) % asked.length];
    read.begin(tag, crcAt, flags);
    count++;
    try {
      SegmentMemory segment = process().segment();
      if (!segment.holds(dataAt, dataRoom) || !segment.holds(crcAt, crcRoom)) {
        throw new MalformedMessageException("a READ to outside of the segment");
      }
      TransferBlock block = process().blocks().get(handle);
      boolean withCrcs = (flags & Protocol.NO_CRCS) == 0;
      boolean fits =
          length > 0
              && length <= Protocol.READ_MAX
              && dataRoom >= length + Protocol.SLACK
              && (!withCrcs || crcRoom >= block.crcBytes(from, length));
      if (!fits || !block.isWholeChunks(from, length, withCrcs)) {
        throw new MalformedMessageException(
            "a READ of " + length + " bytes at " + from + " to " + dataRoom + " and " + crcRoom);
      }
      if ((flags & Protocol.BEGINS) != 0) {
        block.admit();
        transfers(segment).beginRun();
      }
      transfers(segment).begin(block, from, length, crcs(flags), dataAt, dataRoom);
      process().used(System.nanoTime());
    } catch (FallbackException e) {
      read.refusal = e;
    }
  }

  private static TransferQueue.Crcs crcs(int flags) {
    if ((flags & Protocol.NO_CRCS) != 0) {
      return TransferQueue.Crcs.NONE;
    }
    return (flags & Protocol.KEEP_CRCS) != 0 ? TransferQueue.Crcs.KEPT : TransferQueue.Crcs.ONCE;
  }

  private void answerOldest() throws IOException {
    Asked read = asked[first];
    first = (first + 1) % asked.length;
    count--;
    FallbackException refusal = read.refusal;
    if (refusal != null) {
      answers.refuse(read.tag, refusal);
      return;
    }
    try {
      LaneTransfers reads = transfers(process().segment());
      int bytes = reads.oldestLength();
      int dataAt = reads.complete(read.crcAt);
      parts.counters().reads.increment();
      parts.counters().bytes.add(bytes);
      answers.send(answers.begin(Protocol.DONE, read.tag).put(dataAt).put(read.crcAt));
    } catch (FallbackException e) {
      answers.refuse(read.tag, e);
      if (e.reason() == FallbackReason.DEVICE_TIMEOUT || e.reason() == FallbackReason.INTERRUPTED) {
        throw new EOFException("the device still has the process's memory");
      }
    }
  }

  private LaneTransfers transfers(SegmentMemory segment) throws FallbackException {
    LaneTransfers open = transfers;
    if (open == null) {
      open = LaneTransfers.open(parts.ports(), parts.hugePages(), segment, asked.length);
      transfers = open;
    }
    return open;
  }

  /** Nothing was asked for a while: gives up what saves time, but keeps memory from its owner. */
  private void rest() throws IOException {
    closeTransfers();
    if (underWay) {
      throw new EOFException("the device still has the process's memory");
    }
  }

  private void closeTransfers() {
    LaneTransfers open = transfers;
    if (open != null) {
      underWay = true; // until it says that nothing is
      underWay = !open.close();
      transfers = null;
    }
  }

  private ClientProcess process() {
    ClientProcess known = process;
    if (known == null) {
      throw new IllegalStateException("a question before the HELLO");
    }
    return known;
  }

  /** Gives everything back, whatever happened before. */
  private void end() {
    try {
      closeTransfers();
    } finally {
      endWrites();
    }
  }

  private void endWrites() {
    try {
      writes.close();
    } finally {
      connection.close();
      ClientProcess ended = process;
      if (ended != null) {
        parts.sessions().leave(ended, underWay || writes.leavesUnderWay());
      }
    }
  }
}
