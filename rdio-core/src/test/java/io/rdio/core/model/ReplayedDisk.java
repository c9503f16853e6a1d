// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.model;

import io.rdio.core.device.BlockDevice;
import io.rdio.datanode.grant.ReplayedDataNode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Supplier;

/** What the model's device holds: the block's bytes or another file's, and the witness. */
final class ReplayedDisk {
  private static final byte GOOD = 7;
  private static final byte OTHERS = 66;
  private static final int ALIGNMENT = 512;

  private final ReplayedDataNode dataNode;
  private boolean foreign;
  private boolean written;
  private byte copiedByte;
  private byte[] copiedWitness = {};

  ReplayedDisk(ReplayedDataNode dataNode) {
    this.dataNode = dataNode;
  }

  /** The file system gives the extent to another file. */
  void reuse() {
    foreign = true;
  }

  boolean isForeign() {
    return foreign;
  }

  /** The block's bytes reach the device. */
  void write() {
    written = true;
  }

  void copy() {
    copiedByte = written && !foreign ? GOOD : OTHERS;
    copiedWitness = dataNode.witnessPage();
  }

  static boolean isGood(byte[] bytes) {
    for (byte b : bytes) {
      if (b != GOOD) {
        return false;
      }
    }
    return true;
  }

  /**
   * A view of the device, or of its copy.
   *
   * @param step called before and behind each read of the block
   */
  BlockDevice view(boolean ofCopy, Runnable step) {
    Supplier<byte[]> witness = ofCopy ? () -> copiedWitness : dataNode::witnessPage;
    Supplier<Byte> content = ofCopy ? () -> copiedByte : () -> foreign ? OTHERS : GOOD;
    return new BlockDevice() {
      @Override
      public String name() {
        return ofCopy ? "copy" : "device";
      }

      @Override
      public int alignment() {
        return ALIGNMENT;
      }

      @Override
      public long sizeBytes() {
        return 1L << 40;
      }

      @Override
      public void read(long offset, ByteBuffer target) {
        if (offset == ReplayedDataNode.WITNESS) {
          target.put(witness.get(), 0, target.remaining());
          return;
        }
        step.run();
        byte[] bytes = new byte[target.remaining()];
        Arrays.fill(bytes, content.get());
        target.put(bytes);
        step.run();
      }
    };
  }
}
