// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import org.jspecify.annotations.Nullable;

/**
 * Places of the shared segment, side by side, and the piece of a block that is asked for into them,
 * or there and not verified yet. Used again and again. For one thread at a time: whoever took it.
 */
final class Window {
  private final int first;
  private final int placeAt;
  private int places;
  private int crcPlaceAt;

  private long start;
  private int length;

  /** Whether the agent may still write to the places. */
  boolean underWay;

  /** Why the agent did not read it, once it has answered. */
  private @Nullable FallbackException refusal;

  private int dataAt;
  private int crcAt;

  /**
   * @param first index of the first place
   */
  Window(int first) {
    this.first = first;
    this.placeAt = SharedSegment.placeAt(first);
    over(1);
  }

  /** Says how many places it has now. */
  Window over(int count) {
    places = count;
    crcPlaceAt = SharedSegment.placeAt(first + count) - SharedSegment.CRC_ROOM;
    return this;
  }

  int first() {
    return first;
  }

  int places() {
    return places;
  }

  /** Bytes of a block that there is room for. */
  int capacity() {
    return places * SharedSegment.PLACE_DATA;
  }

  /**
   * Says what it is for now.
   *
   * @param first of a chunk, in the block
   * @param count bytes: of whole chunks, but that the block's last may be short
   */
  void set(long first, int count) {
    start = first;
    length = count;
    refusal = null;
  }

  /** Where in the segment the agent put bytes and CRCs; only within the places is it believed. */
  void take(int data, int crcs) throws MalformedMessageException {
    if (data < placeAt || data > crcPlaceAt - length || crcs != crcPlaceAt) {
      throw new MalformedMessageException("bytes at " + data + ", CRCs at " + crcs);
    }
    dataAt = data;
    crcAt = crcs;
  }

  /** Where in the segment the agent is to put its bytes. */
  int placeAt() {
    return placeAt;
  }

  /** Bytes that the agent may write there. */
  int room() {
    return crcPlaceAt - placeAt;
  }

  /** Where in the segment the agent is to put its CRCs. */
  int crcPlaceAt() {
    return crcPlaceAt;
  }

  /** Why the agent did not read it; null if it did. */
  @Nullable FallbackException refusal() {
    return refusal;
  }

  void refuse(FallbackException by) {
    refusal = by;
  }

  long start() {
    return start;
  }

  int length() {
    return length;
  }

  long end() {
    return start + length;
  }

  boolean covers(long offset) {
    return offset >= start && offset < start + length;
  }

  /** Where in the segment its first byte is. */
  int dataAt() {
    return dataAt;
  }

  /** Where in the segment its first CRC is. */
  int crcAt() {
    return crcAt;
  }
}
