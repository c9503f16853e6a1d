// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.fault.SoakClient.Count;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.random.RandomGenerator;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;

/** A file that is open twice: by RDIO, and by stock HDFS to compare with. For one thread. */
final class SoakStream {
  /** How often a read is tried again that stock HDFS can do. */
  private static final int REPEATS = 3;

  private final Path path;
  private final long seed;
  private final FSDataInputStream in;
  private final FSDataInputStream twin;
  private final long length;
  private final long blamedBefore;

  private SoakStream(
      Path path, long seed, FSDataInputStream in, FSDataInputStream twin, long length) {
    this.path = path;
    this.seed = seed;
    this.in = in;
    this.twin = twin;
    this.length = length;
    this.blamedBefore = SoakBlame.count();
  }

  static SoakStream open(FileSystem rdio, FileSystem stock, Path path, long seed)
      throws IOException {
    FSDataInputStream in = rdio.open(path);
    boolean good = false;
    try {
      FSDataInputStream twin = stock.open(path);
      long length =
          Math.min(
              ((HdfsDataInputStream) in).getVisibleLength(),
              ((HdfsDataInputStream) twin).getVisibleLength());
      good = true;
      return new SoakStream(path, seed, in, twin, length);
    } finally {
      if (!good) {
        in.close();
      }
    }
  }

  /** Reads a range, by position or in order, and tells how it went. */
  Count read(RandomGenerator random, int longest) {
    long offset = random.nextLong(length + 1);
    byte[] bytes = new byte[(int) Math.min(random.nextInt(longest), length - offset)];
    boolean inOrder = random.nextBoolean();
    Count result = Count.READ;
    try {
      read(in, offset, bytes, inOrder);
    } catch (IOException | RuntimeException e) {
      result = judge(offset, bytes, e);
    }
    if (result == Count.READ || result == Count.READ_WHEN_REPEATED) {
      int wrong = SoakBytes.firstWrong(seed, offset, bytes);
      if (wrong != SoakBytes.ALL_RIGHT) {
        System.err.println("WRONG BYTE of " + path + " at " + (offset + wrong));
        return Count.WRONG_BYTES;
      }
    }
    return result;
  }

  /**
   * Asks the twin. It reads later than the stream that failed, when a DataNode may be up again or a
   * file may have been repaired, so what the twin can do is asked of the stream again: a failure of
   * stock HDFS that passes is then one of both. A failure out of RDIO's own code never is.
   *
   * <p>Of a file that is deleted meanwhile the twin may know a replica that is still there, where
   * the stream has met that DataNode when it was down, or was opened when it was: the stream asks
   * for new locations and is told that there is no such file. Stock HDFS too, unless it was RDIO
   * that made it give the DataNode up. RDIO does when the agent ends that read for it: only the
   * NameNode could tell the process where the block is, and it knows the file no more.
   *
   * <p>All by position: in order, the twin could go on with a connection of its last question, to a
   * replica that is gone since.
   */
  private Count judge(long offset, byte[] bytes, Exception failure) {
    Exception last = failure;
    for (int i = 0; i < REPEATS; i++) {
      if (SoakBlame.isOfRdio(last)) {
        return failedAlone(offset, last);
      }
      if (last instanceof FileNotFoundException && SoakBlame.count() == blamedBefore) {
        return Count.FAILED_LIKE_STOCK;
      }
      if (last instanceof EOFException && knowsOfTruncation(offset + bytes.length)) {
        return Count.FAILED_LIKE_STOCK;
      }
      try {
        twin.readFully(offset, bytes);
      } catch (IOException | RuntimeException stockToo) {
        return Count.FAILED_LIKE_STOCK;
      }
      try {
        in.readFully(offset, bytes);
        return Count.READ_WHEN_REPEATED;
      } catch (IOException | RuntimeException again) {
        last = again;
      }
    }
    return failedAlone(offset, last);
  }

  private Count failedAlone(long offset, Exception failure) {
    System.err.println("FAILED where stock did not, " + path + " at " + offset);
    failure.printStackTrace();
    return failure instanceof FileNotFoundException
        ? Count.NOT_FOUND_WHERE_STOCK_DID
        : Count.FAILED_WHERE_STOCK_DID_NOT;
  }

  /** The twin may not have heard of it yet, or the file may have grown again by now. */
  private boolean knowsOfTruncation(long end) {
    return ((HdfsDataInputStream) in).getVisibleLength() < end;
  }

  private static void read(FSDataInputStream from, long offset, byte[] bytes, boolean inOrder)
      throws IOException {
    if (inOrder) {
      from.seek(offset);
      from.readFully(bytes);
    } else {
      from.readFully(offset, bytes);
    }
  }

  void close() {
    try {
      in.close();
      twin.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
