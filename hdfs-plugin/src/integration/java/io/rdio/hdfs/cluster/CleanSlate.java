// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/**
 * A cluster as it was when it came up, for the next test on it: HDFS without a file, volumes
 * without a block or a pin, all of their space free, and known to be free.
 */
public final class CleanSlate {
  /** Longer than a lease as by default and its longest I/O, for clients that gave nothing back. */
  private static final Duration TIME_MAX = Duration.ofMinutes(3);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Cluster cluster;
  private final List<Reserve> reserves = new ArrayList<>();

  private CleanSlate(Cluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Remembers what will have to be put back.
   *
   * @param cluster that just came up
   * @param dataNodes how many it has, each with the plugin
   */
  public static CleanSlate of(Cluster cluster, int dataNodes) throws IOException {
    CleanSlate slate = new CleanSlate(cluster);
    for (int i = 0; i < dataNodes; i++) {
      slate.reserves.add(Reserve.of(cluster.volume(i)));
    }
    return slate;
  }

  /**
   * Deletes all files, those beside HDFS that filled a volume too, and returns when their space is
   * free: when all leases on them were returned or have run out.
   *
   * @throws IOException if it does not come to that in some minutes; what is left is in the message
   */
  public void restore() throws IOException {
    for (int i = 0; i < reserves.size(); i++) {
      space(i).empty();
      reserves.get(i).restore();
    }
    try (FileSystem stock = cluster.fileSystem(false)) {
      for (FileStatus status : stock.listStatus(new org.apache.hadoop.fs.Path("/"))) {
        stock.delete(status.getPath(), true);
      }
      long begun = System.nanoTime();
      for (String left = left(stock); !left.isEmpty(); left = left(stock)) {
        if (System.nanoTime() - begun > TIME_MAX.toNanos()) {
          throw new IOException("not clean after " + TIME_MAX.toSeconds() + " s: " + left);
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** What is not gone yet; empty if there is nothing. */
  private String left(FileSystem stock) throws IOException {
    long free = 0;
    for (int i = 0; i < reserves.size(); i++) {
      Path mount = cluster.volume(i).mountPoint();
      List<Path> files = new ArrayList<>(Maps.blockFiles(mount));
      files.addAll(Maps.pinFiles(mount));
      if (!files.isEmpty()) {
        return files.size() + " files on DataNode " + i + ", such as " + files.get(0);
      }
      long pins = Maps.pins(cluster, i);
      if (pins > 0) {
        return pins + " pins of DataNode " + i;
      }
      free += space(i).settledBytes();
    }
    long known = stock.getStatus().getRemaining();
    return known < free / 2 ? "the NameNode knows of " + known + " of " + free + " bytes" : "";
  }

  private FreeSpace space(int dataNode) {
    return new FreeSpace(cluster.volume(dataNode).mountPoint());
  }
}
