// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.hdfs.client.namenode.KnownBlocks;
import io.rdio.hdfs.client.namenode.NameNodes;
import io.rdio.hdfs.client.namenode.RecordedBlocks;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blocks of one block pool for stock reads: as the application's own clients or RDIO's were told
 * before, or fresh from the NameNode, which may have forgotten what DataNodes still have. Safe for
 * any number of threads.
 */
public final class StockBlocks implements StockBlockSource {
  private static final Logger LOG = LoggerFactory.getLogger(StockBlocks.class);
  private static final long PAGE_BLOCKS = 1000;

  private final NameNodes nameNodes;
  private final KnownBlocks recent;
  private final String poolId;

  /**
   * @param recent told to clients of this one's own
   */
  public StockBlocks(NameNodes nameNodes, KnownBlocks recent, String poolId) {
    this.nameNodes = nameNodes;
    this.recent = recent;
    this.poolId = poolId;
  }

  @Override
  public DFSClient client() throws IOException {
    return nameNodes.patient(nameservice());
  }

  @Override
  public Configuration configuration() {
    List<URI> candidates = nameNodes.candidates(poolId);
    if (candidates.isEmpty()) {
      throw new IllegalStateException("no nameservice is configured for block pool " + poolId);
    }
    return nameNodes.configuration(candidates.get(0));
  }

  private URI nameservice() throws IOException {
    List<URI> candidates = nameNodes.candidates(poolId);
    if (candidates.isEmpty()) {
      throw new IOException("no nameservice is configured for block pool " + poolId);
    }
    return candidates.get(0);
  }

  @Override
  public LocatedBlock locate(BlockRequest request, boolean fresh) throws IOException {
    LocatedBlock known = fresh ? null : known(request.block());
    if (known != null) {
      return known;
    }
    @Nullable IOException last = null;
    for (URI nameservice : nameNodes.candidates(poolId)) {
      try {
        LocatedBlock found = search(nameservice, nameNodes.patient(nameservice), request);
        if (found != null) {
          return found;
        }
      } catch (IOException e) {
        last = e;
      }
    }
    LocatedBlock elsewhere = searchElsewhere(request);
    if (elsewhere != null) {
      return elsewhere;
    }
    throw new IOException(
        "the NameNode does not know " + request.block() + " in " + request.fileName(), last);
  }

  /** By a router of a federation, if one is configured: it may be the one that has this path. */
  private @Nullable LocatedBlock searchElsewhere(BlockRequest request) {
    for (URI nameservice : nameNodes.others(poolId)) {
      try {
        LocatedBlock found = search(nameservice, nameNodes.impatient(nameservice), request);
        if (found != null) {
          return found;
        }
      } catch (IOException e) {
        LOG.debug("RDIO: {} does not know {}", nameservice, request.fileName(), e);
      }
    }
    return null;
  }

  private @Nullable LocatedBlock known(BlockKey block) {
    LocatedBlock recorded = RecordedBlocks.now().located(block);
    return recorded != null ? recorded : recent.located(block);
  }

  private @Nullable LocatedBlock search(URI nameservice, DFSClient client, BlockRequest request)
      throws IOException {
    Long known = RecordedBlocks.now().fileOffset(request.block());
    if (known != null) {
      LocatedBlock found = pick(client.getLocatedBlocks(request.fileName(), known, 1), request);
      if (found != null) {
        nameNodes.has(nameservice, poolId);
        return found;
      }
    }
    long length = PAGE_BLOCKS * client.getConf().getDefaultBlockSize();
    long fileLength = 1;
    for (long at = 0; at < fileLength; ) {
      LocatedBlocks page = client.getLocatedBlocks(request.fileName(), at, length);
      LocatedBlock found = pick(page, request);
      if (found != null) {
        nameNodes.has(nameservice, poolId);
        return found;
      }
      if (page == null || page.getLocatedBlocks().isEmpty()) {
        return null;
      }
      fileLength = page.getFileLength();
      LocatedBlock end = page.get(page.locatedBlockCount() - 1);
      at = end.getStartOffset() + Math.max(1, end.getBlockSize());
    }
    return null;
  }

  private static @Nullable LocatedBlock pick(@Nullable LocatedBlocks page, BlockRequest request) {
    if (page == null) {
      return null;
    }
    for (LocatedBlock block : page.getLocatedBlocks()) {
      LocatedBlock found =
          block instanceof LocatedStripedBlock
              ? internalBlock(page, (LocatedStripedBlock) block, request.block())
              : block;
      if (found != null && isBlock(found, request.block())) {
        return found;
      }
    }
    return null;
  }

  private static @Nullable LocatedBlock internalBlock(
      LocatedBlocks page, LocatedStripedBlock group, BlockKey wanted) {
    long index = wanted.blockId() - group.getBlock().getBlockId();
    byte[] indices = group.getBlockIndices();
    for (int i = 0; i < indices.length && i < group.getLocations().length; i++) {
      if (indices[i] == index) {
        return StripedBlockUtil.constructInternalBlock(
            group,
            i,
            page.getErasureCodingPolicy().getCellSize(),
            page.getErasureCodingPolicy().getNumDataUnits(),
            indices[i]);
      }
    }
    return null;
  }

  private static boolean isBlock(LocatedBlock found, BlockKey wanted) {
    return found.getBlock().getBlockId() == wanted.blockId()
        && found.getBlock().getGenerationStamp() == wanted.generationStamp()
        && found.getBlock().getBlockPoolId().equals(wanted.poolId());
  }
}
