// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.nativeio.DirectReader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/** Groups on DataNodes in memory, one for each of their blocks. */
public class StripesFixture implements AutoCloseable {
  public static final int CHUNK = 512;

  static final Duration PARITY_TIME_MAX = Duration.ofMinutes(10);

  /** Of the group that is written; its blocks are the numbers behind it. */
  public static final long GROUP = -1600;

  public final WritersFixture writers;
  public final List<FakeDataNode> nodes = new ArrayList<>();
  public final ParityBacklog backlog;
  public final StripeMemory memory;
  public final ExecutorService threads = Executors.newCachedThreadPool();
  public final StripeLayout layout;
  private final ParityEncoder.Source encoders;

  /**
   * @param memoryBytes for stripes, each of which takes a huge page at least
   */
  public StripesFixture(StripeLayout layout, ParityEncoder.Source encoders, long memoryBytes) {
    this(layout, encoders, memoryBytes, WritersFixture.DEVICE_TIMEOUT);
  }

  /**
   * @param deviceTimeout how long a device is waited for: by the clock of this machine
   */
  StripesFixture(
      StripeLayout layout,
      ParityEncoder.Source encoders,
      long memoryBytes,
      Duration deviceTimeout) {
    this.writers = new WritersFixture(deviceTimeout);
    this.layout = layout;
    this.encoders = encoders;
    this.memory = new StripeMemory(memoryBytes);
    this.backlog =
        new ParityBacklog(Duration.ofSeconds(60), PARITY_TIME_MAX, writers.terms, writers.failures);
    for (int i = 0; i < layout.units(); i++) {
      nodes.add(writers.dataNode("d" + i));
    }
  }

  /** Bytes that a group can have: of each block as many whole cells as fit a slot. */
  public int groupBytes() {
    return FakeDataNode.SLOT_BYTES / layout.cellBytes() * layout.stripeBytes();
  }

  /** Begins a group. */
  public StripedWriter open(ParityMode mode) throws FallbackException {
    return open(mode, "xor");
  }

  StripedWriter open(ParityMode mode, String codec) throws FallbackException {
    return open(mode, codec, threads);
  }

  StripedWriter open(ParityMode mode, String codec, Executor parallel) throws FallbackException {
    List<GroupWriter.Target> targets =
        nodes.stream()
            .map(node -> new GroupWriter.Target(node.id, new byte[] {1}, "DS-1"))
            .toList();
    GroupAsk ask =
        new GroupAsk(
            new BlockKey("BP-1", GROUP, 1001),
            layout,
            codec,
            mode,
            targets,
            groupBytes(),
            ChecksumSpec.Type.CRC32C,
            CHUNK);
    return StripedWriter.open(
        writers.writers, new ParityParts(encoders, memory, backlog), parallel, ask);
  }

  /** Writes a range of a group's content, and says whether it ends there. */
  public static void write(StripedWriter writer, ByteBuffer content, int from, int to)
      throws FallbackException {
    writer.write(from, DirectReader.addressOf(content) + from, to - from, to == content.limit());
  }

  /** Memory with content of a group, by chance. */
  public static ByteBuffer content(int length, long seed) {
    return WritersFixture.bytes(length, seed);
  }

  /** CRCs as a meta file has them. */
  public static byte[] crcs(byte[] bytes) {
    ByteBuffer crcs = ByteBuffer.allocate((bytes.length + CHUNK - 1) / CHUNK * Integer.BYTES);
    for (int at = 0; at < bytes.length; at += CHUNK) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, at, Math.min(CHUNK, bytes.length - at));
      crcs.putInt((int) crc.getValue());
    }
    return crcs.array();
  }

  /** Commits all of a content; bits of the blocks that are there. */
  public static long commit(StripedWriter writer, ByteBuffer content) throws FallbackException {
    return writer.commit(content.limit(), ByteBuffer.wrap(crcs(WritersFixture.array(content))));
  }

  /** What is on the device of a block's target. */
  public byte[] written(int unit, int length) {
    return nodes.get(unit).written(0, length);
  }

  /** The CRCs that a block was committed with; null if it was not. */
  public byte[] committed(int unit) {
    return writers.plane.committed.get(nodes.get(unit).id.host() + " " + (GROUP + unit));
  }

  /** Waits until no group is without parity. */
  public boolean awaitParity() throws InterruptedException {
    return backlog.awaitEmpty(Duration.ofSeconds(20));
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      threads.awaitTermination(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    backlog.close();
    writers.close();
  }
}
