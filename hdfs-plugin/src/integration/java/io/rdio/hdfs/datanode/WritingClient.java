// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.awaitility.Awaitility.await;

import com.sun.nio.file.ExtendedOpenOption;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane;
import io.rdio.client.plane.WriteSlot;
import io.rdio.client.plane.grant.GrantPlane;
import io.rdio.client.plane.grant.MetadataClientSettings;
import io.rdio.client.plane.grant.WriteSettings;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.wire.NettyChannelFactory;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.write.SlotEnd;
import io.rdio.hdfs.datanode.write.NewFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;
import org.awaitility.core.ConditionTimeoutException;

/**
 * What an agent does that writes to a DataNode, step by step: slots by the real service, bytes past
 * the page cache to the very device.
 */
final class WritingClient implements AutoCloseable {
  static final int CHUNK = 512;

  private static final int ALIGNMENT = 4096;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** What a DataNode says that has not opened its volumes, or not filled their pools. */
  private static final Set<FallbackReason> NOT_YET =
      Set.of(
          FallbackReason.SLOTS_EXHAUSTED,
          FallbackReason.STORAGE_UNSUPPORTED,
          FallbackReason.DATANODE_NOT_READY);

  private static final DataNodeId TARGET = new DataNodeId("127.0.0.1", 0, 0);

  private final Path device;
  private final GrantPlane plane;
  private final WritePlane writes;

  /**
   * @param device that the DataNode's volume is on
   */
  WritingClient(InJvmHdfs hdfs, Path device) {
    this(() -> InJvmHdfs.metadataPort(hdfs.dataNode), device);
  }

  /**
   * @param port of the DataNode's plugin at the moment
   * @param device that the DataNode's volume is on
   */
  WritingClient(IntSupplier port, Path device) {
    this.device = device;
    this.plane =
        new GrantPlane(
            new MetadataClientSettings(
                InJvmHdfs.CLIENT, Duration.ofSeconds(20), Duration.ZERO, Duration.ofMillis(100)),
            dataNode -> dataNode.withPort(port.getAsInt()),
            new NettyChannelFactory(null),
            System::nanoTime,
            new ClientCounters());
    this.writes = plane.writes(new WriteSettings(PATIENCE, PATIENCE, false, PATIENCE));
  }

  WriteSlot allocate(LocatedBlock located, long bytes) throws IOException, FallbackException {
    return writes.allocate(
        TARGET,
        NewFile.token(located),
        new SlotAsk(
            NewFile.key(located),
            located.getStorageIDs()[0],
            bytes,
            ChecksumSpec.Type.CRC32C,
            CHUNK,
            0));
  }

  /** Waits for the pool, which is filled when the DataNode has started. */
  WriteSlot awaitSlot(LocatedBlock located, long bytes) {
    AtomicReference<WriteSlot> slot = new AtomicReference<>();
    AtomicReference<FallbackException> refusal = new AtomicReference<>();
    try {
      await().atMost(PATIENCE).until(() -> isLent(located, bytes, slot, refusal));
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("no slot", refusal.get());
    }
    return slot.get();
  }

  private boolean isLent(
      LocatedBlock located,
      long bytes,
      AtomicReference<WriteSlot> slot,
      AtomicReference<FallbackException> refusal)
      throws IOException, FallbackException {
    try {
      slot.set(allocate(located, bytes));
      return true;
    } catch (FallbackException e) {
      refusal.set(e);
      if (!NOT_YET.contains(e.reason())) {
        throw e;
      }
      return false;
    }
  }

  /** Whole units, the last one filled with zeros. */
  void write(WriteSlot slot, byte[] content) throws IOException {
    SlotGrant grant = slot.grant();
    ExtentList extents = grant.extents();
    try (FileChannel channel =
        FileChannel.open(device, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT)) {
      for (int i = 0; i < extents.count() && extents.start(i) < content.length; i++) {
        int from = (int) extents.start(i);
        int length = (int) Math.min(extents.end(i), content.length) - from;
        int units = (length + grant.unit() - 1) / grant.unit() * grant.unit();
        ByteBuffer buffer =
            ByteBuffer.allocateDirect(units + 2 * ALIGNMENT).alignedSlice(ALIGNMENT).limit(units);
        buffer.put(0, content, from, length);
        long at = extents.physical(i);
        while (buffer.hasRemaining()) {
          at += channel.write(buffer, at);
        }
      }
      channel.force(true);
    }
  }

  void commit(WriteSlot slot, byte[] content) throws FallbackException {
    writes.commit(TARGET, slot, content.length, checksums(content));
  }

  void abort(WriteSlot slot) throws FallbackException {
    writes.abort(TARGET, List.of(new WritePlane.Ended(slot, SlotEnd.QUIET)));
  }

  /** Its CRCs as a meta file has them behind the header. */
  static ByteBuffer checksums(byte[] content) {
    DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK);
    byte[] sums = new byte[checksum.getChecksumSize(content.length)];
    checksum.calculateChunkedSums(content, 0, content.length, sums, 0);
    return ByteBuffer.wrap(sums);
  }

  /** The block as the NameNode is to know it. */
  static ExtendedBlock written(LocatedBlock located, byte[] content) {
    ExtendedBlock block = new ExtendedBlock(located.getBlock());
    block.setNumBytes(content.length);
    return block;
  }

  @Override
  public void close() {
    plane.close();
  }
}
