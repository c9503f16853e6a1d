// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.runtime;

import io.rdio.client.filemap.FileMapSettings;
import io.rdio.client.plane.grant.MetadataClientSettings;
import io.rdio.client.plane.grant.WriteSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link ClientRuntime} works.
 *
 * @param dataCache null for none
 * @param writes null where nothing is written. Where file maps are from devices alone, nothing is
 *     written all the same, for only DataNodes lend slots.
 */
public record RuntimeSettings(
    FileMapSettings maps,
    MetadataClientSettings metadata,
    Plane plane,
    Devices devices,
    Memory memory,
    @Nullable DataCache dataCache,
    @Nullable WriteSettings writes) {

  /** For a client that only reads. */
  public RuntimeSettings(
      FileMapSettings maps,
      MetadataClientSettings metadata,
      Plane plane,
      Devices devices,
      Memory memory,
      @Nullable DataCache dataCache) {
    this(maps, metadata, plane, devices, memory, dataCache, null);
  }

  /**
   * Where file maps are from.
   *
   * @param source asked for them
   * @param owners users, by their numbers, whose storages may be read without their DataNode
   * @param tokensChecked whether this program gives nobody a byte of a block before it has checked
   *     that one's token, so that no DataNode need have
   */
  public record Plane(Source source, Set<Integer> owners, boolean tokensChecked) {
    /** Who is asked for file maps. */
    public enum Source {
      /** The DataNode. */
      GRPC,
      /** The device alone. */
      DEVICE,
      /** The DataNode, and the device where that does not answer. */
      AUTO
    }

    public Plane {
      owners = Set.copyOf(owners);
    }
  }

  /**
   * The devices of this host.
   *
   * @param named node to use for a file-system UUID, where a search would not find it or find more
   *     than one
   * @param readTimeout how long one that does not answer is waited for; zero for as long as it
   *     takes
   */
  public record Devices(Map<UUID, Path> named, Duration readTimeout) {}

  /**
   * What readers may use, in bytes.
   *
   * @param bufferBytes bound of all windows together
   * @param windowBytes data bytes of the largest window
   * @param readAheadBytes what a sequential reader may have under way
   */
  public record Memory(long bufferBytes, int windowBytes, int readAheadBytes) {}

  /**
   * The block data cache.
   *
   * @param bytes bound of its memory
   * @param chunkBytes what is kept and evicted at once; a power of two
   * @param flash null for none
   */
  public record DataCache(long bytes, int chunkBytes, @Nullable Flash flash) {}

  /**
   * The flash tier of the block data cache.
   *
   * @param file that it has to itself
   * @param bytes of the file, a multiple of 4096
   */
  public record Flash(Path file, long bytes) {}
}
