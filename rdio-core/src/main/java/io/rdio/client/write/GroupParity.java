// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * The parity of one group: made of its stripes, in their order, and written to its own targets. For
 * one thread at a time, but that blocks may be committed at the same time.
 */
final class GroupParity {
  private final GroupAsk group;
  private final StripeLayout layout;
  private final InternalBlocks blocks;
  private final ParityEncoder encoder;

  /** One for each block of parity: the CRCs of what was written, from 0 to the position. */
  private final ByteBuffer[] checksums;

  /** Bytes of each block so far. */
  private long written;

  /**
   * @param encoder closed with this
   */
  GroupParity(GroupAsk group, InternalBlocks blocks, ParityEncoder encoder) {
    this.group = group;
    this.layout = group.layout();
    this.blocks = blocks;
    this.encoder = encoder;
    this.checksums = new ByteBuffer[layout.parityUnits()];
    for (int i = 0; i < checksums.length; i++) {
      checksums[i] = ByteBuffer.allocate(Math.toIntExact(blockChecksumBytes(group)));
    }
  }

  /** Bytes of the CRCs of one block, at most: it has whole cells, and these whole chunks. */
  private static long blockChecksumBytes(GroupAsk group) {
    return group.blockBytes() / group.bytesPerChecksum() * ChecksumSpec.CRC_BYTES;
  }

  /** Bytes of the CRCs of a group's parity, which are kept until that is committed. */
  static long checksumBytes(GroupAsk group) {
    return group.layout().parityUnits() * blockChecksumBytes(group);
  }

  /**
   * Makes and writes the parity of the next stripe, and waits for the writes of its data as well. A
   * target that fails is given up, and so is one whose device takes too long: its write is under
   * way behind this.
   */
  void make(ParityLine.Filled filled) {
    int bytes = filled.stripe().parityBytes(filled.bytes());
    try {
      long alive = blocks.alive() & layout.parityBits();
      if (alive != 0) {
        encode(filled.stripe(), bytes);
        beginWrites(filled, bytes, alive);
      }
    } catch (FallbackException e) {
      loseAll(e);
    } catch (RuntimeException e) { // of parity alone: data is none the worse for it
      loseAll(accident(e));
    } finally {
      written += bytes; // whatever happened: blocks that lack some of it cannot be committed
    }
    blocks.awaitWrites(filled.cells(), blocks.all());
  }

  private static FallbackException accident(RuntimeException e) {
    return new FallbackException(FallbackReason.INTERNAL_ERROR, String.valueOf(e), e);
  }

  private void encode(Stripe stripe, int bytes) throws FallbackException {
    encoder.encode(
        stripe.cells(0, layout.dataUnits(), bytes),
        stripe.cells(layout.dataUnits(), layout.parityUnits(), bytes));
  }

  private void loseAll(FallbackException why) {
    for (int unit = layout.dataUnits(); unit < layout.units(); unit++) {
      blocks.lose(unit, why);
    }
  }

  private void beginWrites(ParityLine.Filled filled, int bytes, long alive) {
    boolean isLast = filled.bytes() < layout.stripeBytes();
    long offset = written; // which goes on when these are begun
    for (long rest = alive; rest != 0; rest &= rest - 1) {
      int unit = Long.numberOfTrailingZeros(rest);
      filled.cells().begin(unit, () -> write(filled.stripe(), unit, offset, bytes, isLast));
    }
  }

  private void write(Stripe stripe, int unit, long offset, int bytes, boolean isLast) {
    try {
      putChecksums(stripe.cell(unit, bytes), checksums[unit - layout.dataUnits()]);
    } catch (RuntimeException e) {
      blocks.lose(unit, accident(e));
    }
    blocks.write(unit, offset, stripe.address(unit), bytes, isLast);
  }

  private void putChecksums(ByteBuffer cell, ByteBuffer to) {
    Checksum sum = group.checksum() == ChecksumSpec.Type.CRC32C ? new CRC32C() : new CRC32();
    int end = cell.limit();
    for (int at = 0; at < end; at += group.bytesPerChecksum()) {
      sum.reset();
      sum.update(cell.limit(Math.min(end, at + group.bytesPerChecksum())).position(at));
      to.putInt((int) sum.getValue());
    }
  }

  /** Flushes a block of parity; false if it was given up, or is now. */
  boolean flush(int unit) {
    return blocks.flush(unit, written);
  }

  /** Commits a block of parity that was flushed; false if it was given up, or is now. */
  boolean commit(int unit, CommitPatience patience) {
    ByteBuffer own = checksums[unit - layout.dataUnits()].duplicate().flip();
    return blocks.commit(unit, written, own, patience);
  }

  /** Gives all of it up, whoever writes it now; waits for nobody. */
  void giveUp() {
    loseAll(
        new FallbackException(
            FallbackReason.DEVICE_TIMEOUT, "the parity of " + group.group() + " takes too long"));
  }

  /** Frees what the code has; gives up the blocks that are not committed. Idempotent. */
  void close() {
    try {
      encoder.close();
    } finally {
      blocks.close(layout.parityBits());
    }
  }
}
