// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.agent.ipc.GroupStripes;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.RestOfFile;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.DSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.QuotaExceededException;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/**
 * A new file whose blocks somebody writes past the DataNodes, while that goes well and nobody wants
 * it flushed; from then on, and where the file is small, it is stock HDFS's stream. Thread-safe, as
 * that one.
 */
final class RdioOutputStream extends RestOfFile {
  private static final int BLOCK_BYTES_MAX = 1 << 30;
  private static final int CHUNK_BYTES_MIN = 512;
  private static final int CHUNK_BYTES_MAX = 1 << 20;
  private static final int REPLICATION_MAX = 16;

  private final WriteChoice choice;
  private final byte[] oneByte = new byte[1];

  /** Null from when on stock HDFS writes. */
  @GuardedBy("this")
  private @Nullable FirstBlocks first;

  private RdioOutputStream(DFSOutputStream stock, WriteChoice choice) {
    super(stock);
    this.choice = choice;
    OpenFile file = new File();
    this.first =
        new FirstBlocks(
            file,
            new NewBlocks(file, choice),
            choice.config().small(),
            FirstBlocks.WHOLE_BYTES,
            BlockCommit.THREADS);
  }

  /**
   * Takes a file over that was just created.
   *
   * @throws FallbackException why stock HDFS is to write all of it; its stream is as it was
   */
  static DFSOutputStream takeOver(DFSOutputStream stock, WriteChoice choice)
      throws FallbackException {
    if (!RestOfFile.isUsable()) {
      throw new FallbackException(
          FallbackReason.HADOOP_UNSUPPORTED,
          "Hadoop's client and RDIO are of two class loaders; to write, RDIO's jar has to be where"
              + " Hadoop's are");
    }
    RdioOutputStream taken = new RdioOutputStream(stock, choice);
    taken.requireWritable();
    try {
      taken.takeOver();
    } catch (ReflectiveOperationException e) {
      throw new FallbackException(FallbackReason.HADOOP_UNSUPPORTED, String.valueOf(e), e);
    }
    return taken;
  }

  private void requireWritable() throws FallbackException {
    DataChecksum checksum = checksum();
    DataChecksum.Type type = checksum.getChecksumType();
    int chunk = checksum.getBytesPerChecksum();
    if (isLazilyPersisted()) {
      throw unsupported("lazy persist");
    }
    if ((type != DataChecksum.Type.CRC32 && type != DataChecksum.Type.CRC32C)
        || chunk < CHUNK_BYTES_MIN
        || chunk > CHUNK_BYTES_MAX) {
      throw unsupported("checksums of type " + type + " for " + chunk + " bytes each");
    }
    ErasureCodingPolicy policy = erasureCoding();
    if (policy != null) {
      requireWritable(policy, chunk);
    }
    if (blockBytes() > BLOCK_BYTES_MAX) {
      throw unsupported("blocks of " + blockBytes() + " bytes, more than " + BLOCK_BYTES_MAX);
    }
    if (replication() > REPLICATION_MAX) {
      throw unsupported("a replication of " + replication() + ", more than " + REPLICATION_MAX);
    }
  }

  private void requireWritable(ErasureCodingPolicy policy, int chunk) throws FallbackException {
    if (!choice.config().hasParity()) {
      throw unsupported(
          "erasure coding, as long as " + RdioConfigKeys.CLIENT_WRITE_PARITY + " is off");
    }
    int cell = policy.getCellSize();
    if (cell % chunk != 0 || blockBytes() % cell != 0) {
      throw unsupported(
          "cells of "
              + cell
              + " bytes in blocks of "
              + blockBytes()
              + ", with checksums for "
              + chunk
              + " bytes each");
    }
  }

  /** That only stock HDFS writes such files. */
  static FallbackException unsupported(String what) {
    return new FallbackException(FallbackReason.WRITE_UNSUPPORTED, what);
  }

  /** The file at the NameNode. */
  private final class File implements OpenFile {
    private final @Nullable GroupStripes stripes = stripesOfFile();

    private @Nullable GroupStripes stripesOfFile() {
      ErasureCodingPolicy policy = erasureCoding();
      return policy == null
          ? null
          : new GroupStripes(
              policy.getNumDataUnits(),
              policy.getNumParityUnits(),
              policy.getCellSize(),
              policy.getCodecName(),
              choice.config().parity(RdioOutputStream.this.path()));
    }

    @Override
    public String path() {
      return RdioOutputStream.this.path();
    }

    @Override
    public long blockBytes() {
      int units = stripes == null ? 1 : stripes.dataUnits();
      return RdioOutputStream.this.blockBytes() * units;
    }

    @Override
    public @Nullable GroupStripes stripes() {
      return stripes;
    }

    @Override
    public int replication() {
      return RdioOutputStream.this.replication();
    }

    @Override
    public DataChecksum checksum() {
      return RdioOutputStream.this.checksum();
    }

    @Override
    public LocatedBlock addBlock(@Nullable ExtendedBlock previous, DatanodeInfo[] excluded)
        throws IOException {
      return nextBlock(previous, excluded);
    }

    @Override
    public void abandon(ExtendedBlock block) throws IOException {
      abandonBlock(block);
    }

    @Override
    public void awaitRemoval(LocatedBlock group) throws IOException {
      awaitGone(group);
    }

    @Override
    public void tick() {
      RdioOutputStream.this.tick();
    }
  }

  @Override
  public synchronized void write(int value) throws IOException {
    if (first == null) {
      super.write(value);
    } else {
      oneByte[0] = (byte) value;
      write(oneByte, 0, 1);
    }
  }

  @Override
  public synchronized void write(byte[] source, int at, int count) throws IOException {
    FirstBlocks to = first;
    if (to == null) {
      super.write(source, at, count);
      return;
    }
    requireOpen();
    if (at < 0 || count < 0 || at > source.length - count) { // as stock HDFS says it
      throw new ArrayIndexOutOfBoundsException(
          count + " bytes from " + at + " on, of " + source.length);
    }
    int taken;
    try {
      taken = to.write(source, at, count);
    } catch (IOException | RuntimeException | Error e) {
      lose(e);
      throw e;
    }
    if (taken < count) {
      goOnByStock(to);
      super.write(source, at + taken, count - taken);
    }
  }

  /** Bytes that were taken are nowhere: what comes behind them must not be taken, too. */
  @GuardedBy("this")
  private void lose(Throwable why) {
    FirstBlocks written = first;
    if (written != null) {
      // Over its quota a file is completed, as far as it is written.
      goOnBehind(written);
    }
    fail(saidAgain(why));
    dropFirstBlocks();
  }

  /**
   * What later calls throw: not what was thrown already, for try-with-resources adds what close
   * throws to what write threw. Of a quota it is still of a quota's type, by which stock HDFS knows
   * a file to complete.
   */
  private IOException saidAgain(Throwable why) {
    String message = path() + ": an earlier call failed: " + why;
    if (why instanceof QuotaExceededException) {
      IOException quota = new DSQuotaExceededException(message);
      quota.initCause(why);
      return quota;
    }
    return new IOException(message, why);
  }

  private void goOnBehind(FirstBlocks written) {
    ExtendedBlock last = written.last();
    if (last != null) {
      goOnBehind(last);
    }
  }

  /** What was kept comes behind the blocks that were written. */
  @GuardedBy("this")
  private void goOnByStock(FirstBlocks written) throws IOException {
    first = null;
    goOnBehind(written);
    byte[] leftOver = written.leftOver();
    super.write(leftOver, 0, leftOver.length);
  }

  @Override
  public void hflush() throws IOException {
    endFirstBlocks("hflush");
    super.hflush();
  }

  @Override
  public void hsync() throws IOException {
    endFirstBlocks("hsync");
    super.hsync();
  }

  @Override
  public void hsync(EnumSet<SyncFlag> how) throws IOException {
    endFirstBlocks("hsync");
    super.hsync(how);
  }

  /** Whoever wants a flush will want another one: blocks would be short, and many. */
  private synchronized void endFirstBlocks(String why) throws IOException {
    FirstBlocks written = erasureCoding() == null ? first : null; // stock does nothing there
    if (written != null) {
      requireOpen();
      end(written);
      choice.leftToStock(unsupported(why), path());
    }
  }

  @GuardedBy("this")
  private void end(FirstBlocks written) throws IOException {
    try {
      written.end();
      goOnByStock(written);
    } catch (IOException | RuntimeException | Error e) {
      lose(e);
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      closeFirstBlocks();
    } finally {
      super.close();
    }
  }

  private synchronized void closeFirstBlocks() {
    FirstBlocks written = first;
    if (written == null) {
      return;
    }
    if (isOver()) {
      dropFirstBlocks();
      return;
    }
    if (written.isSmall()) {
      choice.leftToStock(
          new FallbackException(FallbackReason.FILE_SMALL, "as it was closed"), path());
    }
    try {
      end(written);
    } catch (IOException e) {
      fail(e); // as it is: stock HDFS's close says it, and nobody said it before
    }
  }

  @Override
  protected synchronized void dropFirstBlocks() {
    FirstBlocks written = first;
    if (written != null) {
      first = null;
      written.close();
    }
  }
}
