// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.nativeio.HugeMemory;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory for one stripe: its cells of data, one behind the other, and behind them those of parity.
 * For one thread at a time, but that any number may read what none writes.
 */
final class Stripe {
  private static final byte[] ZEROS = new byte[4096];

  private final StripeLayout layout;
  private final long address;
  private final ByteBuffer memory;

  private Stripe(StripeLayout layout, long address, ByteBuffer memory) {
    this.layout = layout;
    this.address = address;
    this.memory = memory;
  }

  /** Bytes that it takes: whole huge pages. */
  static long bytesOf(StripeLayout layout) {
    long cells = (long) layout.units() * layout.cellBytes();
    return (cells + HugeMemory.PAGE - 1) / HugeMemory.PAGE * HugeMemory.PAGE;
  }

  /** Null where the machine has no memory for us. To be {@linkplain #unmap freed}. */
  static @Nullable Stripe map(StripeLayout layout) {
    long bytes = bytesOf(layout);
    long address = HugeMemory.map(bytes);
    if (address < 0) {
      return null;
    }
    ByteBuffer memory = HugeMemory.bufferOf(address, bytes);
    if (memory == null) {
      HugeMemory.unmap(address, bytes);
      return null;
    }
    return new Stripe(layout, address, memory);
  }

  /** Nobody may use it any more, nor what was made of it. */
  void unmap() {
    HugeMemory.unmap(address, bytesOf(layout));
  }

  StripeLayout layout() {
    return layout;
  }

  /** Copies data to {@code at} on, which lies in one stripe. */
  void put(int at, ByteBuffer from, int fromAt, int count) {
    memory.put(at, from, fromAt, count);
  }

  /**
   * Fills the cells of data with zeros behind the last byte, as far as its parity reaches.
   *
   * @param filled bytes of data in it
   */
  void pad(int filled) {
    int end = parityBytes(filled);
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      int cell = unit * layout.cellBytes();
      for (int at = Math.max(cell, filled); at < cell + end; at += ZEROS.length) {
        memory.put(at, ZEROS, 0, Math.min(ZEROS.length, cell + end - at));
      }
    }
  }

  /** Bytes of a cell of parity: those of the longest cell of data. */
  int parityBytes(int filled) {
    return Math.min(filled, layout.cellBytes());
  }

  /** Where a cell begins, at a multiple of any unit that divides cells. */
  long address(int unit) {
    return address + (long) unit * layout.cellBytes();
  }

  /** The beginning of a cell. */
  ByteBuffer cell(int unit, int bytes) {
    return memory.slice(unit * layout.cellBytes(), bytes);
  }

  /** The beginnings of so many cells from one on. */
  ByteBuffer[] cells(int first, int count, int bytes) {
    ByteBuffer[] cells = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      cells[i] = cell(first + i, bytes);
    }
    return cells;
  }
}
