// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.nativeio.DirectReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * One message at a time, being written or being read: a kind, a tag that its answer repeats, and
 * fields. Reused for the next one; allocates nothing but the texts and tokens that are read. Each
 * field that is read is checked against its bounds first. For one thread at a time.
 */
public final class Frame {
  private static final int KIND_AT = 0;
  private static final int TAG_AT = 4;
  private static final int HEADER_BYTES = 8;

  private final ByteBuffer bytes =
      ByteBuffer.allocateDirect(Protocol.MESSAGE_MAX).order(ByteOrder.nativeOrder());
  private final long address = DirectReader.addressOf(bytes);

  /** Begins a message to be sent. */
  public Frame begin(int kind, int tag) {
    bytes.clear();
    bytes.putInt(kind).putInt(tag);
    return this;
  }

  public Frame put(int value) {
    bytes.putInt(value);
    return this;
  }

  public Frame put(long value) {
    bytes.putLong(value);
    return this;
  }

  /**
   * Adds bytes with their length.
   *
   * @throws MalformedMessageException if they are more than the message may hold
   */
  public Frame put(byte[] value, int most) throws MalformedMessageException {
    if (value.length > most || value.length > bytes.remaining() - Short.BYTES) {
      throw new MalformedMessageException(value.length + " bytes in a field of at most " + most);
    }
    bytes.putShort((short) value.length).put(value);
    return this;
  }

  /** Adds a text; see {@link #put(byte[], int)}. */
  public Frame put(String value, int most) throws MalformedMessageException {
    return put(value.getBytes(StandardCharsets.UTF_8), most);
  }

  /** Adds a text, or the beginning of one that is too long. */
  public Frame putBeginning(String value, int most) {
    byte[] all = value.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(all.length, Math.min(most, bytes.remaining() - Short.BYTES));
    bytes.putShort((short) length).put(all, 0, length);
    return this;
  }

  /** Bytes of the message that was written. */
  int length() {
    return bytes.position();
  }

  /** Of its memory. */
  long address() {
    return address;
  }

  /** Bytes of its memory. */
  int capacity() {
    return bytes.capacity();
  }

  /**
   * Begins to read a message that was put into its memory.
   *
   * @throws MalformedMessageException if it is too short to be one
   */
  void received(int length) throws MalformedMessageException {
    if (length < HEADER_BYTES) {
      throw new MalformedMessageException("a message of " + length + " bytes");
    }
    bytes.clear();
    bytes.limit(length);
    bytes.position(HEADER_BYTES);
  }

  /** Of a received message: its kind, perhaps none that is known here. */
  public int kind() {
    return bytes.getInt(KIND_AT);
  }

  /** Of a received message: what its answer repeats. */
  public int tag() {
    return bytes.getInt(TAG_AT);
  }

  public int getInt() throws MalformedMessageException {
    require(Integer.BYTES);
    return bytes.getInt();
  }

  public long getLong() throws MalformedMessageException {
    require(Long.BYTES);
    return bytes.getLong();
  }

  /**
   * Reads bytes with their length.
   *
   * @throws MalformedMessageException if there are more than {@code most}, or fewer than announced
   */
  public byte[] getBytes(int most) throws MalformedMessageException {
    require(Short.BYTES);
    int length = bytes.getShort() & 0xffff;
    if (length > most) {
      throw new MalformedMessageException(length + " bytes in a field of at most " + most);
    }
    require(length);
    byte[] value = new byte[length];
    bytes.get(value);
    return value;
  }

  /** Reads a text; bytes that are no UTF-8 become question marks. */
  public String getText(int most) throws MalformedMessageException {
    return new String(getBytes(most), StandardCharsets.UTF_8);
  }

  /**
   * Ends the reading of a message.
   *
   * @throws MalformedMessageException if something is left of it
   */
  public void end() throws MalformedMessageException {
    if (bytes.hasRemaining()) {
      throw new MalformedMessageException(
          bytes.remaining() + " bytes too many in a message of kind " + kind());
    }
  }

  private void require(int count) throws MalformedMessageException {
    if (bytes.remaining() < count) {
      throw new MalformedMessageException(
          "a message of kind " + kind() + " ends after " + bytes.limit() + " bytes");
    }
  }
}
