// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * A new file whose first blocks somebody else writes, and stock HDFS the rest, or nothing but its
 * end; of an erasure-coded one each block is a group. It is the heir of the stream that stock HDFS
 * made for the file: it has that one's lease, its thread, which waits until a byte is written here,
 * and its place among the client's open files. So whatever a subclass leaves alone is stock:
 * failing, closing, completing, aborting.
 *
 * <p>In this package, for most of what it inherits is seen in no other. That is so only where one
 * class loader has Hadoop's client and RDIO. Thread-safe, as its superclass.
 */
public abstract class RestOfFile extends DFSOutputStream {
  private final DFSOutputStream stock;

  /** Null for a file of replicas: this object itself is stock HDFS's writer of those. */
  private final @Nullable RestOfGroups groups;

  /**
   * Changes nothing yet; see {@link #takeOver}.
   *
   * @param stock that nothing was written to
   */
  protected RestOfFile(DFSOutputStream stock) {
    super(
        stock.dfsClient,
        stock.src,
        stock.streamer.stat,
        EnumSet.noneOf(CreateFlag.class), // what they say is with the thread, or with stock
        stock.streamer.progress,
        stock.streamer.checksum4WriteBlock,
        null,
        false);
    this.stock = stock;
    this.streamer = stock.streamer;
    this.groups =
        stock instanceof DFSStripedOutputStream
            ? new RestOfGroups((DFSStripedOutputStream) stock)
            : null;
  }

  /** Whether what it inherits is seen by it here. */
  public static boolean isUsable() {
    return RestOfFile.class.getClassLoader() == DFSOutputStream.class.getClassLoader();
  }

  /**
   * Is the file's stream from now on; who has the stock one must not use it any more.
   *
   * @throws ReflectiveOperationException in a Hadoop that we do not know; the stock stream is still
   *     the file's then
   */
  protected final void takeOver() throws ReflectiveOperationException {
    String method = "putFileBeingWritten";
    try {
      DFSClient.class
          .getMethod(method, String.class, DFSOutputStream.class)
          .invoke(dfsClient, getUniqKey(), this);
    } catch (NoSuchMethodException e) { // Hadoop 3.3 knows open files by number
      DFSClient.class
          .getMethod(method, long.class, DFSOutputStream.class)
          .invoke(dfsClient, fileId, this);
    }
  }

  /** The file's path. */
  protected final String path() {
    return src;
  }

  /** Bytes of a full block of it. */
  protected final long blockBytes() {
    return blockSize;
  }

  /** How many replicas its blocks are to have. */
  protected final int replication() {
    return streamer.stat.getReplication();
  }

  /** By which it is erasure coded; null if it is not: its blocks are no groups then. */
  protected final @Nullable ErasureCodingPolicy erasureCoding() {
    return groups == null ? null : streamer.stat.getErasureCodingPolicy();
  }

  /** Of its blocks. */
  protected final DataChecksum checksum() {
    return streamer.checksum4WriteBlock;
  }

  /** Whether its blocks go to memory first. */
  protected final boolean isLazilyPersisted() {
    return DataStreamer.isLazyPersist(streamer.stat);
  }

  /**
   * Has the NameNode add a block, as stock HDFS does: it is asked again while the block before is
   * not there yet.
   *
   * @param previous the block before, with its length; null for the first one
   * @param excluded DataNodes that are not to have it
   */
  protected final LocatedBlock nextBlock(@Nullable ExtendedBlock previous, DatanodeInfo[] excluded)
      throws IOException {
    return addBlock(
        excluded.length == 0 ? null : excluded,
        dfsClient,
        src,
        previous,
        fileId,
        null,
        stock.getAddBlockFlags());
  }

  /** Has the NameNode take a block away that was added last, and that nobody wrote. */
  protected final void abandonBlock(ExtendedBlock block) throws IOException {
    dfsClient.namenode.abandonBlock(block, fileId, src, dfsClient.clientName);
  }

  /**
   * Waits until no DataNode has anything of a group that was added last and not written, as {@link
   * Leftovers#await} does.
   */
  protected final void awaitGone(LocatedBlock group) throws IOException {
    ErasureCodingPolicy policy = erasureCoding();
    if (policy != null) {
      GroupLook look = new GroupLook(dfsClient, src, group.getBlock(), policy);
      new Leftovers(look, System::nanoTime, this::tick).await();
    }
  }

  /** Tells who waits for the writer that it is alive. */
  protected final void tick() {
    Progressable progress = streamer.progress;
    if (progress != null) {
      progress.progress();
    }
  }

  /**
   * Has stock HDFS take a block for the file's last one: what is written, flushed or completed from
   * now on comes behind it.
   *
   * @param last with its length; its replicas are finalized
   */
  protected final void goOnBehind(ExtendedBlock last) {
    streamer.block.setCurrentBlock(last);
    streamer.getPersistBlocks().set(true); // a flush tells the NameNode how long it is
  }

  /** Has all that is called from now on fail with this, as a stream whose pipeline is gone. */
  protected final void fail(IOException why) {
    streamer.getLastException().set(why);
    streamer.close(true);
  }

  /**
   * As stock HDFS looks before it takes bytes.
   *
   * @throws IOException if the client or the file is closed, or why the stream failed
   */
  protected final void requireOpen() throws IOException {
    dfsClient.checkOpen();
    checkClosed();
  }

  /** Whether it is closed, or failed. */
  protected final boolean isOver() {
    return isClosed();
  }

  /** Gives up what somebody else has begun to write; called by any thread. */
  protected abstract void dropFirstBlocks();

  @Override
  public synchronized void write(int value) throws IOException {
    if (groups == null) {
      super.write(value);
    } else {
      write(new byte[] {(byte) value}, 0, 1);
    }
  }

  @Override
  public synchronized void write(byte[] source, int at, int count) throws IOException {
    RestOfGroups to = groups;
    if (to == null) {
      super.write(source, at, count);
      return;
    }
    if (!to.isBegun()) {
      checkClosed();
    }
    if (count > 0) {
      to.write(source, at, count, streamer.getBlock());
    }
  }

  @Override
  public void hflush() throws IOException {
    if (groups == null) { // stock HDFS does nothing in the other case
      super.hflush();
    }
  }

  @Override
  public void hsync() throws IOException {
    if (groups == null) {
      super.hsync();
    }
  }

  @Override
  public void hsync(EnumSet<SyncFlag> how) throws IOException {
    if (groups == null) {
      super.hsync(how);
    }
  }

  @Override
  public boolean hasCapability(String capability) {
    return groups == null && super.hasCapability(capability);
  }

  @Override
  protected synchronized void closeImpl() throws IOException {
    RestOfGroups rest = groups;
    if (rest == null) {
      super.closeImpl();
      return;
    }
    try {
      if (rest.isBegun()) {
        rest.close();
      } else {
        super.closeImpl(); // behind the last group, as behind a block
      }
    } finally {
      rest.end();
      setClosed();
    }
  }

  @Override
  synchronized void abort() throws IOException {
    dropFirstBlocks();
    try {
      super.abort();
    } finally {
      if (groups != null) {
        groups.abort();
      }
    }
  }

  @Override
  public synchronized void setDropBehind(Boolean dropBehind) throws IOException {
    if (groups == null) {
      stock.setDropBehind(dropBehind); // its thread looks there
    } else {
      groups.setDropBehind(dropBehind);
    }
  }
}
