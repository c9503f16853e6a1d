// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** A file that a test writes: what there is of it. */
final class WrittenFile {
  private final DistributedFileSystem fs;
  private final Path path;
  private final byte[] bytes;

  /**
   * @param bytes that the test writes, the first ones first
   */
  WrittenFile(DistributedFileSystem fs, Path path, byte[] bytes) {
    this.fs = fs;
    this.path = path;
    this.bytes = bytes;
  }

  /** Stock HDFS reads so many of the bytes, and then the end. */
  void assertContent(int length) throws IOException {
    try (FSDataInputStream in = fs.open(path)) {
      assertThat(Arrays.mismatch(in.readAllBytes(), Arrays.copyOf(bytes, length))).isEqualTo(-1);
    }
  }

  /** Its blocks, or groups of them. */
  List<LocatedBlock> blocks() throws IOException {
    return fs.getClient().getLocatedBlocks(path.toString(), 0).getLocatedBlocks();
  }

  long[] blockLengths() throws IOException {
    return blocks().stream().mapToLong(LocatedBlock::getBlockSize).toArray();
  }

  /** How many files its client has a lease on. */
  int openFiles() {
    return fs.getClient().getNumOfFilesBeingWritten();
  }
}
