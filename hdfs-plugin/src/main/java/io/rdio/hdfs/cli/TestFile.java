// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds a file that RDIO can be tried on: closed, replicated, with a block, readable. */
final class TestFile {
  private static final Logger LOG = LoggerFactory.getLogger(TestFile.class);
  private static final int ENTRIES_MAX = 20_000;
  private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private TestFile() {}

  /**
   * The path itself if it is a file, else the first fit file below it; null if there is none among
   * the first thousands of entries.
   */
  static @Nullable FileStatus find(Hdfs hdfs) throws IOException {
    FileStatus root = hdfs.fs().getFileStatus(hdfs.path());
    if (root.isFile()) {
      return root.getLen() > 0 ? root : null;
    }
    Deque<Path> directories = new ArrayDeque<>();
    directories.add(root.getPath());
    long end = System.nanoTime() + NANOS_MAX;
    int seen = 0;
    while (!directories.isEmpty()) {
      try {
        RemoteIterator<FileStatus> entries = hdfs.fs().listStatusIterator(directories.remove());
        while (entries.hasNext()) {
          FileStatus entry = entries.next();
          if (++seen > ENTRIES_MAX || System.nanoTime() - end > 0) {
            return null;
          }
          if (entry.isDirectory()) {
            directories.add(entry.getPath());
          } else if (isFit(hdfs.fs(), entry)) {
            return entry;
          }
        }
      } catch (AccessControlException e) {
        LOG.debug("a directory that is not for this user", e);
      }
    }
    return null;
  }

  private static boolean isFit(DistributedFileSystem fs, FileStatus file) throws IOException {
    if (!file.isFile() || file.getLen() == 0 || file.isErasureCoded()) {
      return false;
    }
    try {
      fs.access(file.getPath(), FsAction.READ);
      return fs.isFileClosed(file.getPath());
    } catch (AccessControlException e) {
      return false;
    }
  }
}
