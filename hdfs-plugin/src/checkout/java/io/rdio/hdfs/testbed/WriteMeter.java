// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Has files written, and says what the links carried for each: from when all pools are full, no
 * block is held any more and all volumes are written back until it is so again. A slot that is made
 * anew behind a file is counted with it, and so is the end of its hold links, and with no other.
 * For one thread.
 */
final class WriteMeter {
  /**
   * One file.
   *
   * @param files it, whose number is 0
   * @param byAgent how many of its bytes the agent wrote
   */
  record Written(FileSet files, String sha256, LinkBytes links, long byAgent) {
    /** What several links carried, by the name of their sum. */
    WriteCost.Carried on(String sum) {
      return new WriteCost.Carried(files.bytes(), links.figures().getOrDefault(sum, 0L));
    }
  }

  private final Fabric fabric;
  private final FabricHdfs hdfs;
  private final WritingProcess writer;
  private final List<SlotFolder> volumes;
  private final long slotBytes;
  private final Duration ioTimeMax;

  /**
   * @param writer of the client's host
   * @param slotBytes of the slots that files go to: each pool is full with one
   * @param ioTimeMax the DataNodes' {@code I}
   */
  WriteMeter(
      Fabric fabric, FabricHdfs hdfs, WritingProcess writer, long slotBytes, Duration ioTimeMax) {
    this.fabric = fabric;
    this.hdfs = hdfs;
    this.writer = writer;
    this.slotBytes = slotBytes;
    this.ioTimeMax = ioTimeMax;
    // Also the first DataNode's second one, whose slots come over the same link.
    volumes =
        fabric.volumes().stream().map(volume -> new SlotFolder(volume.resolve("data"))).toList();
  }

  /** By the DataNodes, in one pipeline or striped. */
  Written byStock(FileSet file, int replication) throws IOException {
    settle();
    LinkBytes before = hdfs.links();
    String sha256 = hdfs.client().write(file, replication);
    settle();
    return new Written(file, sha256, hdfs.links().since(before), 0);
  }

  /** By the agent of the client's host, if it does. */
  Written byRdio(FileSet file, int replication) throws IOException {
    long agents = writer.bytes();
    settle();
    LinkBytes before = hdfs.links();
    String sha256 = writer.create(file.name() + "0", replication, file.bytes());
    settle();
    LinkBytes links = hdfs.links().since(before);
    return new Written(file, sha256, links, writer.bytes() - agents);
  }

  private void settle() throws IOException {
    Waits.await("slots to be made anew, and blocks to be held no more", this::areSettled);
    fabric.writeBack();
  }

  private boolean areSettled() throws IOException {
    for (SlotFolder volume : volumes) {
      if (!volume.isSettled(1, slotBytes) || !volume.held(ioTimeMax).isEmpty()) {
        return false;
      }
    }
    return true;
  }
}
