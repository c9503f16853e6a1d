// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A block of several replicas that is written, and the DataNodes that it is for. */
final class GroupFixture implements AutoCloseable {
  static final int UNIT = WritersFixture.UNIT;
  static final int LENGTH = 5 * UNIT + 7;

  final WritersFixture writers;
  final ExecutorService threads = Executors.newCachedThreadPool();
  final ByteBuffer bytes = WritersFixture.bytes(LENGTH, 3);
  final ByteBuffer crcs = ByteBuffer.wrap(new byte[] {5, 6, 7, 8}).position(1);
  final List<FakeDataNode> nodes = new ArrayList<>();

  GroupFixture() {
    this(WritersFixture.DEVICE_TIMEOUT);
  }

  GroupFixture(Duration deviceTimeout) {
    writers = new WritersFixture(deviceTimeout);
    for (String host : List.of("a", "b", "c")) {
      nodes.add(writers.dataNode(host));
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    writers.close();
  }

  GroupWriter open(Executor parallel) throws FallbackException {
    return open(parallel, nodes);
  }

  GroupWriter open(Executor parallel, List<FakeDataNode> of) throws FallbackException {
    return GroupWriter.open(
        writers.writers,
        parallel,
        WritersFixture.block(1),
        targets(of),
        1 << 20,
        ChecksumSpec.Type.CRC32C,
        512);
  }

  private static List<GroupWriter.Target> targets(List<FakeDataNode> of) {
    return of.stream()
        .map(node -> new GroupWriter.Target(node.id, new byte[] {1, 2}, "DS-1"))
        .toList();
  }

  void write(GroupWriter writer, int from, int to) throws FallbackException {
    begin(writer, from, to);
    writer.finishOldest();
  }

  void begin(GroupWriter writer, int from, int to) throws FallbackException {
    long address = WritersFixture.address(bytes) + from;
    writer.begin(from, address, to - from, to == LENGTH, bytes);
  }

  void requireReplica(int node) {
    assertThat(nodes.get(node).written(0, LENGTH)).isEqualTo(WritersFixture.array(bytes));
    assertThat(writers.plane.committed.get(nodes.get(node).id.host() + " 1"))
        .containsExactly(6, 7, 8);
  }
}
