// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.Protocol;
import io.rdio.nativeio.LocalSocket;
import io.rdio.nativeio.SharedMemory;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A segment whose owner remembers what it wrote to it, and where it allowed the agent to write: any
 * other byte must stay as it was. For one thread at a time.
 */
final class HostileSegment implements Closeable {
  private static final int READ_BYTES = 44;
  private static final int CRC_MAX = 8 << 10;
  private static final byte PATTERN = (byte) 0xa5;

  private final int fd;
  private final int length;
  private final long address;
  private final ByteBuffer bytes;
  private final byte[] expected;
  private final BitSet agents = new BitSet();

  /** Whether it ever said that it uses nothing, so that the agent may take its memory back. */
  private boolean unused;

  HostileSegment(int length) {
    this.length = length;
    fd = SharedMemory.create(length);
    address = SharedMemory.map(fd, length);
    bytes = SharedMemory.bufferOf(address, length);
    expected = new byte[length];
    Arrays.fill(expected, PATTERN);
    bytes.put(0, expected);
  }

  int descriptor() {
    return fd;
  }

  int length() {
    return length;
  }

  /** Notes where the agent may write if it is sent this message. */
  void sent(byte[] message) {
    ByteBuffer read = ByteBuffer.wrap(message).order(ByteOrder.nativeOrder());
    if (message.length != READ_BYTES || read.getInt(0) != Protocol.READ) {
      return;
    }
    int count = read.getInt(24);
    int dataAt = read.getInt(28);
    int dataRoom = read.getInt(32);
    int crcAt = read.getInt(36);
    int crcRoom = read.getInt(40);
    if (count > 0 && count <= Protocol.READ_MAX && dataRoom >= count + Protocol.SLACK) {
      allow(dataAt, dataRoom, count + Protocol.SLACK);
      allow(crcAt, crcRoom, CRC_MAX);
    }
  }

  private void allow(int at, int room, int most) {
    if (at >= Protocol.ALIGNMENT && room > 0 && (long) at + room <= length) {
      agents.set(at, at + Math.min(room, most));
    }
  }

  /** Writes nonsense to a range. */
  void scribble(int at, byte[] nonsense) {
    int from = at % length;
    int count = Math.min(nonsense.length, length - from);
    bytes.put(from, nonsense, 0, count);
    System.arraycopy(nonsense, 0, expected, from, count);
    unused |= isUnused();
  }

  private boolean isUnused() {
    return length >= Protocol.IN_USE_AT + Integer.BYTES // or it says nothing
        && ByteBuffer.wrap(expected).getInt(Protocol.IN_USE_AT) == 0;
  }

  /** Takes its memory away, which is zeroes from then on. */
  void release() {
    assertThat(SharedMemory.release(fd, 0, length)).isZero();
    Arrays.fill(expected, (byte) 0);
    unused = true;
  }

  /** Tries to take its pages away from the agent. */
  void resize(long to) {
    assertThatThrownBy(
            () -> {
              try (RandomAccessFile file = new RandomAccessFile("/proc/self/fd/" + fd, "rw")) {
                file.setLength(to == length ? to + 1 : to);
              }
            })
        .isInstanceOf(IOException.class);
  }

  /** Checks that nothing was written but where it was allowed; nobody may write any more. */
  void requireUntouched() {
    byte[] found = new byte[length];
    bytes.get(0, found);
    for (int at = agents.nextSetBit(0); at >= 0; at = agents.nextSetBit(at + 1)) {
      found[at] = expected[at];
    }
    for (int at = Protocol.ALIGNMENT; unused && at < length; at++) {
      found[at] = found[at] == 0 ? expected[at] : found[at];
    }
    assertThat(Arrays.mismatch(found, expected))
        .as("first byte that nobody may write")
        .isNegative();
  }

  @Override
  public void close() {
    SharedMemory.unmap(address, length);
    LocalSocket.close(fd);
  }
}
