// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Gets the blocks of one file from the NameNode, and somebody who writes them. A target that cannot
 * be written to is left out, while the NameNode finds as many without it. For one thread at a time.
 */
final class NewBlocks {
  private final OpenFile file;
  private final WriteChoice choice;
  private final List<DatanodeInfo> excluded = new ArrayList<>();
  private int mostTargets;

  /** Why the last one was excluded. */
  private @Nullable TargetRefusedException refusal;

  private boolean wasUnknown;

  NewBlocks(OpenFile file, WriteChoice choice) {
    this.file = file;
    this.choice = choice;
  }

  /**
   * Begins the next block.
   *
   * @param previous the block before; null for the first one
   * @param bytes that it will have at most: its length if that is known
   * @return null if stock HDFS is to write the rest of the file, which is counted and logged
   * @throws IOException if stock HDFS could not write it either
   */
  @Nullable OpenBlock next(@Nullable ExtendedBlock previous, long bytes) throws IOException {
    try {
      choice.requireAnswering();
      return begin(previous, bytes);
    } catch (FallbackException e) {
      choice.refused(e, file.path());
      return null;
    }
  }

  private OpenBlock begin(@Nullable ExtendedBlock previous, long bytes)
      throws IOException, FallbackException {
    for (int left = choice.config().retries(); ; left--) {
      LocatedBlock located = add(previous);
      try {
        return begin(located, bytes);
      } catch (TargetRefusedException e) {
        giveUp(located);
        excluded.add(located.getLocations()[e.target()]);
        refusal = e;
        if (left <= 0 || file.stripes() != null) { // of a group the NameNode gives the same again
          throw e;
        }
      } catch (FallbackException e) {
        giveUp(located);
        if (!isForAnother(e)) {
          throw e;
        }
      }
    }
  }

  /**
   * Whether another block may do, once for a file: whom it chose for a block a NameNode tells
   * nobody, so that one that takes over cannot say it to who writes.
   */
  private boolean isForAnother(FallbackException refused) {
    if (wasUnknown
        || file.stripes() != null
        || refused.reason() != FallbackReason.LOCATION_UNKNOWN) {
      return false;
    }
    wasUnknown = true;
    return true;
  }

  /** A group stays the file's: stock HDFS is given the same one, and has to be able to begin it. */
  private void giveUp(LocatedBlock located) throws IOException {
    if (file.stripes() == null) {
      file.abandon(located.getBlock());
    } else {
      file.awaitRemoval(located);
    }
  }

  /** Refuses where there are fewer targets than before: no replica is given up for our sake. */
  private LocatedBlock add(@Nullable ExtendedBlock previous) throws IOException, FallbackException {
    TargetRefusedException why = refusal;
    LocatedBlock located;
    try {
      located = file.addBlock(previous, excluded.toArray(new DatanodeInfo[0]));
    } catch (IOException e) {
      if (why == null) {
        throw e;
      }
      throw why; // stock HDFS asks without leaving anybody out
    }
    int targets = located.getLocations().length;
    if (why != null && targets < mostTargets) {
      file.abandon(located.getBlock());
      throw why;
    }
    mostTargets = Math.max(mostTargets, targets);
    return located;
  }

  private OpenBlock begin(LocatedBlock located, long bytes) throws FallbackException {
    requireDisks(located);
    long begun = System.nanoTime();
    try {
      RemoteBlock replicas = choice.remote().open(file, located, bytes);
      choice.worked();
      return new OpenBlock(
          file, located, replicas, choice.config().replicationMin(), choice.counters());
    } catch (RuntimeException | LinkageError e) {
      throw new FallbackException(
          FallbackReason.INTERNAL_ERROR, located.getBlock() + " could not be begun: " + e, e);
    } finally {
      choice.counters().allocateNanos.add(System.nanoTime() - begun);
    }
  }

  private static void requireDisks(LocatedBlock located) throws FallbackException {
    for (StorageType type : located.getStorageTypes()) {
      if (type.isTransient() || type == StorageType.PROVIDED) {
        throw new FallbackException(
            FallbackReason.STORAGE_UNSUPPORTED, located.getBlock() + " goes to " + type);
      }
    }
  }
}
