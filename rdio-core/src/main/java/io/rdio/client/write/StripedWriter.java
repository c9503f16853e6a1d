// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.nativeio.SharedMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one erasure-coded group. Data is copied into the memory of a stripe, from which
 * each full cell is written to its target while the others are filled; a full stripe goes to a
 * {@link ParityLine}, which makes its parity of that same copy. The group goes on while as many
 * blocks do as its data is made of again; one that fails, or whose device does not answer in time,
 * is given up. For one thread at a time.
 */
public final class StripedWriter implements AutoCloseable {
  private final GroupAsk group;
  private final StripeLayout layout;
  private final ParityParts parts;
  private final Executor parallel;
  private final InternalBlocks blocks;
  private final GroupParity parity;
  private final ParityLine line;
  private CellWrites cells;

  /** Null from the end of the data on. */
  private @Nullable Stripe stripe;

  /** Bytes of data in it. */
  private int filled;

  /** Of the group. */
  private long written;

  /** Of each block, before this stripe. */
  private long before;

  /** Whether what is left is not this thread's any more. */
  private boolean isLeft;

  private StripedWriter(
      GroupAsk group,
      ParityParts parts,
      Executor parallel,
      InternalBlocks blocks,
      ParityEncoder encoder,
      Stripe first) {
    this.group = group;
    this.layout = group.layout();
    this.parts = parts;
    this.parallel = parallel;
    this.blocks = blocks;
    this.parity = new GroupParity(group, blocks, encoder);
    this.line = new ParityLine(parallel, parts.memory(), layout, parity::make);
    this.cells = new CellWrites(parallel);
    this.stripe = first;
  }

  /**
   * Opens a block on each target, or on none.
   *
   * @param parallel where targets are worked for at the same time, and parity is made; may reject
   *     work
   * @throws TargetRefusedException if one of them cannot be written to, which says which
   * @throws FallbackException if no group can be written, whatever the targets: WRITE_UNSUPPORTED
   *     where the code is not known, AGENT_BUSY where all memory is in use
   */
  public static StripedWriter open(
      BlockWriters writers, ParityParts parts, Executor parallel, GroupAsk group)
      throws FallbackException {
    StripeLayout layout = group.layout();
    long sums = GroupParity.checksumBytes(group);
    Stripe first = parts.memory().first(layout, sums);
    ParityEncoder encoder = null;
    InternalBlocks blocks = null;
    boolean isOpen = false;
    try {
      encoder = parts.encoders().open(group.codec(), layout);
      blocks = InternalBlocks.open(writers, parallel, group);
      if (layout.cellBytes() % blocks.unit() != 0) {
        throw new FallbackException(
            FallbackReason.WRITE_UNSUPPORTED,
            "cells of " + layout.cellBytes() + " bytes are not whole units of " + blocks.unit());
      }
      StripedWriter opened = new StripedWriter(group, parts, parallel, blocks, encoder, first);
      isOpen = true;
      return opened;
    } finally {
      if (!isOpen) {
        parts.memory().give(first);
        parts.memory().giveSums(sums);
        if (blocks != null) {
          blocks.close(blocks.all());
        }
        if (encoder != null) {
          encoder.close();
        }
      }
    }
  }

  /** Data is written by so many bytes at once at least, but for the end. */
  public int unit() {
    return blocks.unit();
  }

  /** Bytes that the group can have, as far as its slots go. */
  public long capacity() {
    return blocks.capacity() / layout.cellBytes() * layout.stripeBytes();
  }

  /** Which blocks go on: bit i for target i. */
  public long alive() {
    return blocks.alive();
  }

  /**
   * Refuses to go on with fewer blocks than the data is made of again, as far as that is known.
   *
   * @throws FallbackException why one of the others does not go on
   */
  public void requireEnough() throws FallbackException {
    blocks.requireEnough();
  }

  /**
   * Takes the group's next bytes. They are copied when this returns, and a target that fails is
   * told by a later call.
   *
   * @param offset in the group, where the last call ended
   * @param address of memory that stays as it is until this returns
   * @param isLast whether the group ends behind it
   * @throws FallbackException if too few blocks go on: why one of them does not; or if there is no
   *     memory to go on with but what a device that does not answer may still read from
   */
  public void write(long offset, long address, int length, boolean isLast)
      throws FallbackException {
    if (stripe == null || offset != written || length < 0 || length > group.bytes() - offset) {
      throw new IllegalArgumentException(
          length + " bytes at " + offset + " of " + group.group() + " behind " + written);
    }
    blocks.requireEnough();
    if (length > 0) {
      put(address, length);
    }
    written += length;
    if (isLast) {
      end();
    }
  }

  private void put(long address, int length) throws FallbackException {
    ByteBuffer from = SharedMemory.bufferOf(address, length);
    if (from == null) {
      throw new FallbackException(
          FallbackReason.BUFFERS_EXHAUSTED, "the JVM has no buffer of " + length + " bytes");
    }
    for (int done = 0; done < length; ) {
      Stripe to = filling();
      int part = Math.min(length - done, layout.cellBytes() - filled % layout.cellBytes());
      to.put(filled, from, done, part);
      filled += part;
      done += part;
      if (filled % layout.cellBytes() == 0) {
        beginCell(to, filled / layout.cellBytes() - 1, layout.cellBytes(), false);
      }
    }
  }

  /** The stripe to be filled: the next one behind a full one. */
  private Stripe filling() throws FallbackException {
    if (stripe == null) {
      throw new IllegalStateException(group.group() + " has its end");
    }
    Stripe now = stripe;
    if (filled == layout.stripeBytes()) {
      leave(now);
      now = line.next(isImmediate());
      stripe = now;
    }
    return now;
  }

  /** Whether parity must not be behind: also as soon as a target has failed. */
  private boolean isImmediate() {
    return group.parity() == ParityMode.IMMEDIATE || blocks.alive() != blocks.all();
  }

  private void beginCell(Stripe of, int unit, int length, boolean isLast) {
    if ((blocks.alive() >>> unit & 1) == 0) {
      return; // or the stripe would be held for a write that nobody does
    }
    long offset = before;
    cells.begin(unit, () -> blocks.write(unit, offset, of.address(unit), length, isLast));
  }

  /** Leaves a stripe to the line of those that wait for their parity. */
  private void leave(Stripe full) throws FallbackException {
    CellWrites itsCells = cells;
    stripe = null;
    line.add(new ParityLine.Filled(full, filled, itsCells));
    blocks.awaitWrites(itsCells, layout.dataBits()); // each is written by one thread at a time
    cells = new CellWrites(parallel);
    before += layout.cellBytes();
    filled = 0;
    blocks.requireEnough();
  }

  private void end() throws FallbackException {
    Stripe rest = stripe;
    if (rest != null && filled > 0) {
      rest.pad(filled);
      int partial = filled % layout.cellBytes();
      if (partial > 0) {
        beginCell(rest, filled / layout.cellBytes(), partial, true);
      }
      leave(rest);
      line.end();
    }
  }

  /**
   * Makes replicas of HDFS of the blocks, durable and known to the NameNode. Where parity is
   * deferred, those of parity are made behind this, unless a target has failed, other groups are
   * without theirs for long, or the NameNode would make them at once: it does for a group that has
   * not all blocks.
   *
   * @param length of the data: what was written, and at least 1
   * @param checksums its CRCs, as those of a block that is not striped, from position to limit
   * @return which blocks there are, or will be, or have no bytes: bit i for target i
   * @throws FallbackException if they are fewer than the data is made of again: why one is not
   */
  public long commit(long length, ByteBuffer checksums) throws FallbackException {
    if (stripe != null || length != written || length < 1) {
      throw new IllegalArgumentException(
          "commit of " + length + " bytes of " + group.group() + ", of which " + written);
    }
    blocks.requireEnough();
    long empty = empty(length);
    blocks.close(empty);
    boolean isDeferred =
        group.parity() == ParityMode.DEFERRED
            && empty == 0
            && blocks.alive() == blocks.all()
            && parts.backlog().admits();
    long committed = empty;
    if (isDeferred) {
      // What parity can make again is not waited for: that is committed at once then. But not all
      // of it need succeed, so whoever did not answer is asked again with it.
      int enough = Math.max(1, layout.dataUnits() - layout.parityUnits());
      committed |= commit(layout.dataBits(), length, checksums, CommitPatience.forNow(enough));
      if (committed == layout.dataBits()) {
        long promised = blocks.alive() & layout.parityBits(); // before one of them may fail
        leaveParity(length);
        return committed | promised;
      }
    }
    line.awaitEmpty();
    long left = blocks.alive() & ~committed;
    int enough = Math.max(1, layout.dataUnits() - Long.bitCount(committed));
    committed |= commit(left, length, checksums, new CommitPatience(enough));
    blocks.requireEnough();
    return committed;
  }

  /** Bits of the data blocks that have no bytes. */
  private long empty(long length) {
    long empty = 0;
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      empty |= layout.blockBytes(unit, length) == 0 ? 1L << unit : 0;
    }
    return empty;
  }

  private long commit(long units, long length, ByteBuffer checksums, CommitPatience patience) {
    return CommittedUnits.of(
        parallel,
        blocks,
        units,
        unit ->
            unit < layout.dataUnits()
                ? blocks.flush(unit, layout.blockBytes(unit, length))
                : parity.flush(unit),
        unit ->
            unit < layout.dataUnits()
                ? blocks.commit(
                    unit,
                    layout.blockBytes(unit, length),
                    checksumsOf(unit, length, checksums),
                    patience)
                : parity.commit(unit, patience));
  }

  /** Those of one block: each cell's are side by side. */
  private ByteBuffer checksumsOf(int unit, long length, ByteBuffer checksums) {
    int chunk = group.bytesPerChecksum();
    long chunks = (layout.blockBytes(unit, length) + chunk - 1) / chunk;
    int ofCell = layout.cellBytes() / chunk * ChecksumSpec.CRC_BYTES;
    ByteBuffer own = ByteBuffer.allocate(Math.toIntExact(chunks * ChecksumSpec.CRC_BYTES));
    int at = checksums.position() + unit * ofCell;
    while (own.hasRemaining()) {
      own.put(checksums.slice(at, Math.min(ofCell, own.remaining())));
      at += ofCell * layout.dataUnits();
    }
    return own.flip();
  }

  /** Parity is written and committed by the line's thread from now on, and the rest freed. */
  private void leaveParity(long length) {
    isLeft = true;
    ParityBacklog.Late late = parts.backlog().add(group.group(), length, parity::giveUp);
    line.whenEmpty(() -> endParity(late));
  }

  private void endParity(ParityBacklog.Late late) {
    long committed = 0;
    try {
      committed = parts.backlog().beginCommit(late) ? commitParity() : 0;
    } finally {
      try {
        free();
      } finally { // or other groups would wait for their parity for good
        parts.backlog().remove(late, layout.parityUnits() - Long.bitCount(committed));
      }
    }
  }

  private long commitParity() {
    CommitPatience patience = new CommitPatience(1); // all data is there
    long alive = blocks.alive() & layout.parityBits();
    return CommittedUnits.of(
        parallel, blocks, alive, parity::flush, unit -> parity.commit(unit, patience));
  }

  private void free() {
    Stripe filling = stripe;
    stripe = null;
    line.close(filling == null ? null : new ParityLine.Filled(filling, filled, cells));
    try {
      parity.close();
    } finally {
      parts.memory().giveSums(GroupParity.checksumBytes(group));
      blocks.close(layout.dataBits());
    }
  }

  /**
   * Gives up what is not committed, but for parity that was left behind, when what is under way was
   * answered, or its devices have had their time. Idempotent.
   */
  @Override
  public void close() {
    if (!isLeft) {
      isLeft = true;
      blocks.awaitWrites(cells, blocks.all());
      free();
    }
  }
}
