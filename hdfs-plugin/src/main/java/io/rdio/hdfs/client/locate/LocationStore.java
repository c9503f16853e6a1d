// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Interner;
import io.rdio.client.filemap.BlockLocation;
import io.rdio.client.filemap.ReplicaLocation;
import io.rdio.client.plane.DataNodeId;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.hdfs.client.namenode.UnlistedBlocks;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;

/**
 * Block locations from the NameNode's replies, bounded in number and age. Thread-safe.
 *
 * <p>An erasure-coded block group is kept as its internal blocks, each with its DataNode, if it has
 * one, and its own token, for these are what readers ask for.
 */
public final class LocationStore {
  /** Of about 400 bytes each. */
  private static final int MAX_BLOCKS = 100_000;

  private static final Duration MAX_AGE = Duration.ofHours(1);

  /** Of a block for which no DataNode was listed: there may be one any moment. */
  private static final Duration UNLISTED_AGE = Duration.ofSeconds(10);

  private static final byte[] NO_TOKEN = {};

  private final Cache<BlockKey, Place> places =
      Caffeine.newBuilder()
          .maximumSize(MAX_BLOCKS)
          .expireAfter(Expiry.writing((BlockKey block, Place place) -> place.lasts()))
          .build();

  // A cluster has few DataNodes and storages, which the blocks share.
  private final Interner<DataNodeId> dataNodes = Interner.newWeakInterner();
  private final Interner<String> names = Interner.newWeakInterner();

  /** A block's place in one reply: its own location and those behind it. */
  private record Place(
      List<BlockLocation> reply,
      int index,
      long fileOffset,
      boolean ofGroup,
      WeakReference<LocatedBlock> located) {
    Duration lasts() {
      return reply.get(index).replicas().isEmpty() ? UNLISTED_AGE : MAX_AGE;
    }
  }

  /** Keeps what a reply of the NameNode says. */
  void record(LocatedBlocks reply, boolean useHostname) {
    List<BlockLocation> locations = new ArrayList<>();
    List<LocatedBlock> sources = new ArrayList<>();
    for (LocatedBlock block : reply.getLocatedBlocks()) {
      if (block instanceof LocatedStripedBlock group) {
        addInternalBlocks(group, dataUnits(reply), useHostname, locations);
      } else {
        locations.add(location(block, useHostname));
      }
      while (sources.size() < locations.size()) {
        sources.add(block);
      }
    }
    for (int i = 0; i < locations.size(); i++) {
      keep(locations, i, sources.get(i));
    }
  }

  private void keep(List<BlockLocation> reply, int index, LocatedBlock source) {
    places.put(
        reply.get(index).block(),
        new Place(
            reply,
            index,
            source.getStartOffset(),
            source instanceof LocatedStripedBlock,
            new WeakReference<>(source)));
  }

  /** How many of a group's first blocks are data; all where the NameNode does not say. */
  private static int dataUnits(LocatedBlocks reply) {
    ErasureCodingPolicy policy = reply.getErasureCodingPolicy();
    return policy == null ? Integer.MAX_VALUE : policy.getNumDataUnits();
  }

  /** A block and those that followed it in the reply that named it last; empty if unknown. */
  List<BlockLocation> find(BlockKey block) {
    Place place = places.getIfPresent(block);
    return place == null ? List.of() : place.reply().subList(place.index(), place.reply().size());
  }

  /**
   * The block that starts where one ends, by the reply that named it last; null if unknown, and for
   * blocks of a group, which run side by side.
   */
  @Nullable BlockLocation following(BlockKey block) {
    Place place = places.getIfPresent(block);
    if (place == null || place.ofGroup() || place.index() + 1 == place.reply().size()) {
      return null;
    }
    return place.reply().get(place.index() + 1);
  }

  /** Where in its file a block (of a group: its group) starts, in bytes; null if unknown. */
  public @Nullable Long fileOffset(BlockKey block) {
    Place place = places.getIfPresent(block);
    return place == null ? null : place.fileOffset();
  }

  /**
   * A block (not one of a group) as the NameNode told it, while somebody else, such as the stream
   * that asked for it, still has it; else null.
   */
  public @Nullable LocatedBlock located(BlockKey block) {
    Place place = places.getIfPresent(block);
    LocatedBlock source = place == null ? null : place.located().get();
    return source instanceof LocatedStripedBlock ? null : source;
  }

  void forget(BlockKey block) {
    places.invalidate(block);
  }

  private BlockLocation location(LocatedBlock block, boolean useHostname) {
    List<ReplicaLocation> replicas = new ArrayList<>(block.getLocations().length);
    for (DatanodeInfoWithStorage dataNode : block.getLocations()) {
      if (!UnlistedBlocks.isMadeUp(dataNode)) {
        replicas.add(replica(dataNode, useHostname));
      }
    }
    return new BlockLocation(
        new TokenedBlock(key(block.getBlock(), 0), token(block.getBlockToken())),
        List.copyOf(replicas));
  }

  private void addInternalBlocks(
      LocatedStripedBlock group, int dataUnits, boolean useHostname, List<BlockLocation> to) {
    byte[] indices = group.getBlockIndices();
    DatanodeInfoWithStorage[] dataNodes = group.getLocations();
    Token<BlockTokenIdentifier>[] tokens = group.getBlockTokens();
    for (int i = 0; i < indices.length && i < dataNodes.length; i++) {
      byte[] token = i < tokens.length ? token(tokens[i]) : NO_TOKEN;
      List<ReplicaLocation> replicas =
          UnlistedBlocks.isMadeUp(dataNodes[i])
              ? List.of()
              : List.of(replica(dataNodes[i], useHostname));
      BlockLocation location =
          new BlockLocation(new TokenedBlock(key(group.getBlock(), indices[i]), token), replicas);
      if (indices[i] >= dataUnits && replicas.isEmpty()) {
        // Alone: what is in line with data would be looked for along with it.
        keep(List.of(location), 0, group);
      } else {
        to.add(location);
      }
    }
  }

  private ReplicaLocation replica(DatanodeInfoWithStorage dataNode, boolean useHostname) {
    DataNodeId id =
        new DataNodeId(
            useHostname ? dataNode.getHostName() : dataNode.getIpAddr(),
            dataNode.getXferPort(),
            dataNode.getInfoPort());
    String storage = dataNode.getStorageID();
    return new ReplicaLocation(dataNodes.intern(id), storage == null ? "" : names.intern(storage));
  }

  private BlockKey key(ExtendedBlock block, int internalIndex) {
    return new BlockKey(
        names.intern(block.getBlockPoolId()),
        block.getBlockId() + internalIndex,
        block.getGenerationStamp());
  }

  private static byte[] token(@Nullable Token<BlockTokenIdentifier> token) {
    if (token == null) {
      return NO_TOKEN;
    }
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      token.write(new DataOutputStream(bytes));
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("a token could not be written to memory", e);
    }
  }
}
