// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.fault.SoakClient.Count;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.random.RandomGenerator;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;

/** A file that is open twice: by RDIO, and by stock HDFS to compare with. For one thread. */
final class SoakStream {
  private final Path path;
  private final long seed;
  private final FSDataInputStream in;
  private final FSDataInputStream twin;
  private final long length;

  private SoakStream(
      Path path, long seed, FSDataInputStream in, FSDataInputStream twin, long length) {
    this.path = path;
    this.seed = seed;
    this.in = in;
    this.twin = twin;
    this.length = length;
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
    try {
      read(in, offset, bytes, inOrder);
    } catch (IOException e) {
      return judge(offset, bytes, inOrder, e);
    }
    int wrong = SoakBytes.firstWrong(seed, offset, bytes);
    if (wrong != SoakBytes.ALL_RIGHT) {
      System.err.println("WRONG BYTE of " + path + " at " + (offset + wrong));
      return Count.WRONG_BYTES;
    }
    return Count.READ;
  }

  private Count judge(long offset, byte[] bytes, boolean inOrder, IOException failure) {
    if (failure instanceof EOFException && knowsOfTruncation(offset + bytes.length)) {
      return Count.FAILED_LIKE_STOCK;
    }
    try {
      read(twin, offset, bytes, inOrder);
    } catch (IOException stockToo) {
      return Count.FAILED_LIKE_STOCK;
    }
    System.err.println("FAILED where stock did not, " + path + " at " + offset);
    failure.printStackTrace();
    return Count.FAILED_WHERE_STOCK_DID_NOT;
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
