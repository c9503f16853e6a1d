// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.Protocol;
import io.rdio.agent.ipc.RawLane;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;

/**
 * A process that writes, of which a test says each message itself. What a method returns is the
 * agent's answer.
 */
final class WritingLane implements AutoCloseable {
  static final int MIB = 1 << 20;

  /** Where data and checksums are in its segment. */
  static final int DATA_AT = 4096;

  static final int CRC_AT = 2 * MIB;
  static final int SEGMENT = 3 * MIB;

  static final String OK = "kind " + Protocol.OK;
  static final String ALLOCATED = "kind " + Protocol.ALLOCATED;
  static final String WRITTEN = "kind " + Protocol.WRITTEN;
  static final String COMMITTED = "kind " + Protocol.COMMITTED;

  final RawLane lane;

  /** Its segment, with something in it. */
  final ByteBuffer memory;

  private WritingLane(RawLane lane, ByteBuffer memory) {
    this.lane = lane;
    this.memory = memory;
  }

  static WritingLane connect(Path socket) throws IOException {
    RawLane lane = RawLane.connect(socket);
    lane.hello();
    ByteBuffer memory = lane.shareMapped(SEGMENT);
    byte[] bytes = new byte[SEGMENT - DATA_AT];
    new Random(1).nextBytes(bytes);
    memory.put(DATA_AT, bytes);
    return new WritingLane(lane, memory);
  }

  /** One that shares no segment. */
  static WritingLane withoutMemory(Path socket) throws IOException {
    RawLane lane = RawLane.connect(socket);
    lane.hello();
    return new WritingLane(lane, ByteBuffer.allocate(0));
  }

  @Override
  public void close() {
    lane.close();
  }

  static void putTarget(Frame allocate, boolean ownToken) throws IOException {
    allocate
        .put("dn", Protocol.HOST_MAX)
        .put(9866)
        .put(9864)
        .put("DS-1", Protocol.STORAGE_MAX)
        .put(ownToken ? 1 : 0);
    if (ownToken) {
      allocate.put(new byte[3], Protocol.TOKEN_MAX);
    }
  }

  Frame head(long bytes, int targets) throws IOException {
    return lane.begin(Protocol.ALLOCATE)
        .put(7L)
        .put(8L)
        .put("BP-1", Protocol.POOL_MAX)
        .put("/f", Protocol.PATH_MAX)
        .put(bytes)
        .put(2)
        .put(512)
        .put(targets);
  }

  String allocate(long bytes) throws IOException {
    putTarget(head(bytes, 1), true);
    return lane.ask();
  }

  void putWrite(long offset, int dataAt, int length, int crcAt, boolean isLast) {
    lane.begin(Protocol.WRITE).put(offset).put(dataAt).put(length).put(crcAt).put(isLast ? 1 : 0);
  }

  String write(long offset, int length, boolean isLast) throws IOException {
    putWrite(offset, DATA_AT, length, CRC_AT, isLast);
    return lane.ask();
  }

  String commit(long length) throws IOException {
    return commit(length, 1);
  }

  String commit(long length, int needed) throws IOException {
    lane.begin(Protocol.COMMIT).put(length).put(needed);
    return lane.ask();
  }

  String abort() throws IOException {
    lane.begin(Protocol.ABORT);
    return lane.ask();
  }

  byte[] memory(int at, int count) {
    byte[] bytes = new byte[count];
    memory.get(at, bytes);
    return bytes;
  }

  /** A group for three targets. */
  String allocateGroup(int data, int parity, int cell, int mode, long bytes) throws IOException {
    Frame group =
        lane.begin(Protocol.ALLOCATE_GROUP)
            .put(data)
            .put(parity)
            .put(cell)
            .put(mode)
            .put("rs", Protocol.CODEC_MAX)
            .put(-1600L)
            .put(8L)
            .put("BP-1", Protocol.POOL_MAX)
            .put("/f", Protocol.PATH_MAX)
            .put(bytes)
            .put(2)
            .put(512)
            .put(3);
    putTarget(group, true);
    putTarget(group, false);
    putTarget(group, false);
    return lane.ask();
  }
}
