// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A way to read the files, and to write some. Thread-safe, but for what is said of streams. */
interface ReadWay extends Closeable {
  /** A file read from its start to its end, by one thread. */
  interface Stream extends Closeable {
    /** The bytes that follow, good until the next call; null at the end. */
    @Nullable ByteBuffer next() throws IOException;
  }

  /** A file read anywhere, by any number of threads. */
  interface RandomFile extends Closeable {
    /** Bytes of the file. */
    long length();

    /**
     * Fills a buffer.
     *
     * @param position in the file, a multiple of 4096
     * @param target of {@link ReadWay#buffer}, position 0, limit a multiple of 4096
     */
    void readFully(long position, ByteBuffer target) throws IOException;
  }

  /**
   * Opens a file.
   *
   * @param readBytes most bytes to ask for at a time
   */
  Stream stream(String file, int readBytes) throws IOException;

  /** Opens a file to be read anywhere. */
  default RandomFile open(String file) throws IOException {
    throw new IOException("a file is read anywhere only by HDFS and from the device");
  }

  /**
   * Columns of a Parquet file.
   *
   * @param columns by their numbers
   * @param vectored whether those of a row group are asked for by one call
   * @param scans times to read them
   */
  default ParquetColumns columns(String file, List<Integer> columns, boolean vectored, int scans)
      throws IOException {
    throw new IOException("there are no columns but by HDFS");
  }

  /**
   * Creates a file, or has it be empty.
   *
   * @return a stream for one thread
   */
  default OutputStream create(String file, Output output) throws IOException {
    throw new IOException("nothing is written but by HDFS and to local files");
  }

  /** Deletes a file that was {@link #create}d. */
  default void delete(String file) throws IOException {
    throw new IOException("nothing is deleted but by HDFS and of local files");
  }

  /** A buffer for {@link RandomFile#readFully}. */
  ByteBuffer buffer(int bytes);

  /** Bytes that HDFS counted as short-circuit in files closed since the last call. */
  long takeShortCircuitBytes();
}
