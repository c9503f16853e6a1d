// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The compute nodes of a {@link TwoLevelStack}: each a reader in a control group of its own, which
 * bounds its page cache and counts what it reads. They begin together, and what counts does so when
 * all of them are warm. For one thread.
 */
final class RealNodes implements AutoCloseable {
  /** One of them. */
  private record Node(ControlGroup group, ReaderJvm reader, String device) {}

  private final List<Node> nodes = new ArrayList<>();
  private final String disk;

  private RealNodes(String disk) {
    this.disk = disk;
  }

  /**
   * Starts all readers, which wait for {@link #warmUp}.
   *
   * @param mark that names of control groups begin with, no others'
   * @param bytesPerSecond no more is read by each
   */
  static RealNodes start(
      TwoLevelStack stack, String mark, Workload workload, int blocks, long bytesPerSecond)
      throws IOException {
    RealNodes all = new RealNodes(stack.diskNumber());
    try {
      List<TwoLevelStack.View> views = stack.views();
      for (int node = 0; node < views.size(); node++) {
        TwoLevelStack.View view = views.get(node);
        ReaderTask task = ReaderTask.ofFile(view.data(), blocks, workload, node, bytesPerSecond);
        all.add(stack, task, view.number(), mark + "-" + node);
      }
      return all;
    } catch (IOException e) {
      all.close();
      throw e;
    }
  }

  private void add(TwoLevelStack stack, ReaderTask task, String device, String name)
      throws IOException {
    ControlGroup group = ControlGroup.create(name, stack.teardown());
    try {
      group.countReads(disk);
      group.countReads(device);
      nodes.add(new Node(group, ReaderJvm.start(stack, task), device));
    } catch (IOException e) {
      group.close();
      throw e;
    }
  }

  /**
   * Has all of them read until they are warm; then they wait for {@link #finish}.
   *
   * @param level1Bytes bound of each page cache
   */
  void warmUp(long level1Bytes) throws IOException {
    for (Node node : nodes) {
      node.reader.await("ready");
      node.group.limitMemory(level1Bytes);
      node.group.add(node.reader.pid());
    }
    for (Node node : nodes) {
      node.reader.goOn();
    }
    for (Node node : nodes) {
      node.reader.await("warm");
    }
  }

  /**
   * Has all of them read to their end.
   *
   * @return what they got in a second of waiting, in MiB, all together
   */
  double finish() throws IOException {
    for (Node node : nodes) {
      node.reader.goOn();
    }
    double mibPerSecond = 0;
    for (Node node : nodes) {
      mibPerSecond += node.reader.awaitDone().mibPerSecond();
    }
    return mibPerSecond;
  }

  /** Bytes that they asked the namespace for so far. */
  long asked() throws IOException {
    long bytes = 0;
    for (Node node : nodes) {
      bytes += node.group.bytesRead(node.device);
    }
    return bytes;
  }

  /** Bytes that the disk was read for them so far. */
  long demanded() throws IOException {
    long bytes = 0;
    for (Node node : nodes) {
      bytes += node.group.bytesRead(disk);
    }
    return bytes;
  }

  /** Page cache that they have now, all together. */
  long level1Bytes() throws IOException {
    long bytes = 0;
    for (Node node : nodes) {
      bytes += node.group.pageCacheBytes();
    }
    return bytes;
  }

  /** Ends the readers and removes their groups. */
  @Override
  public void close() throws IOException {
    for (Node node : nodes) {
      node.reader.close();
    }
    IOException failed = null;
    for (Node node : nodes) {
      try {
        node.group.close();
      } catch (IOException e) {
        failed = failed == null ? e : failed;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
