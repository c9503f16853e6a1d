// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.client.filemap.BlockLocation;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.hdfs.client.namenode.NameNodes;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * Locations by RDIO's own questions to the NameNode: by file name, page by page, each reply kept
 * for the blocks to come. A file may have been renamed or replaced since the application opened it,
 * so a block counts as found only by its id and generation stamp. Thread-safe.
 */
public final class NameNodeLocator implements BlockLocator {
  /** Of one reply, some 400 kB. */
  private static final int PAGE_BLOCKS = 1000;

  private static final long FIRST_PAGE_BLOCKS = 10;
  private static final Duration ABSENCE = Duration.ofMinutes(1);

  /** No longer than it takes that not every read asks: a failover may be over any moment. */
  private static final Duration UNSURE = Duration.ofSeconds(1);

  /** What each memory of refusals may take, about, in bytes: of files with names of any length. */
  private static final long REFUSALS_BYTES = 4 << 20;

  private static final int REFUSAL_BYTES = 300;

  /** What a router of a federation throws for a path that leads to none of its NameNodes. */
  private static final Set<String> UNRESOLVED =
      Set.of(
          "org.apache.hadoop.hdfs.server.federation.router.NoLocationException",
          "org.apache.hadoop.hdfs.server.federation.resolver.RouterResolveException");

  private final NameNodes nameNodes;
  private final RecentBlocks recent;
  private final boolean useHostname;
  private final LocationStore store = new LocationStore();

  // Files that do not have a block (any more), whoever asks.
  private final Cache<Asked, FallbackException> absent;

  // What a NameNode could not say just now: it is no longer active, or not yet, or in safe mode.
  private final Cache<Asked, FallbackException> unsure;

  // Files that a user was not told of a moment ago, for want of the right.
  private final Cache<Denied, FallbackException> denied;

  // Nameservices that failed a moment ago.
  private final Cache<URI, IOException> failed;

  // Where the last page of a file ended: a reader that goes on needs the one behind it.
  private final Cache<String, Long> pageEnds = Caffeine.newBuilder().maximumSize(10_000).build();
  private final Cache<String, Object> locks = Caffeine.newBuilder().weakValues().build();

  /**
   * What was asked for. Of a block alone nothing follows from a name that its file has not, or has
   * no more: another reader may know it by the right one.
   */
  private record Asked(String file, BlockKey block) {
    static Asked of(BlockRequest request) {
      return new Asked(request.fileName(), request.block());
    }
  }

  /** Who has no right to know, and what. */
  private record Denied(String user, Asked asked) {
    static Denied of(BlockRequest request) {
      return new Denied(currentUser(), Asked.of(request));
    }

    /** As NameNodes know it. */
    private static String currentUser() {
      try {
        return UserGroupInformation.getCurrentUser().getUserName();
      } catch (IOException e) {
        return ""; // whom no NameNode will answer
      }
    }
  }

  /**
   * @param recent told of each reply
   * @param backOff how long a NameNode that fails is left alone, and so is one that denies a file
   *     to a user, with that file and user only
   */
  public NameNodeLocator(
      NameNodes nameNodes, RecentBlocks recent, boolean useHostname, Duration backOff) {
    this.nameNodes = nameNodes;
    this.recent = recent;
    this.useHostname = useHostname;
    this.absent = refusals(ABSENCE);
    this.unsure = refusals(UNSURE);
    this.denied = refusals(backOff);
    this.failed = Caffeine.newBuilder().maximumSize(1_000).expireAfterWrite(backOff).build();
  }

  private static <K> Cache<K, FallbackException> refusals(Duration lasts) {
    return Caffeine.newBuilder()
        .maximumWeight(REFUSALS_BYTES)
        // The file's name is in the question and in the refusal.
        .weigher((K asked, FallbackException by) -> REFUSAL_BYTES + 2 * by.detail().length())
        .expireAfterWrite(lasts)
        .build();
  }

  @Override
  public List<BlockLocation> locate(BlockRequest request) throws FallbackException {
    List<BlockLocation> found = known(request);
    if (found.isEmpty()) {
      // Readers of one file wait for each other: the reply for one serves the others too.
      Object lock = locks.get(request.fileName(), file -> new Object());
      synchronized (lock) {
        found = known(request);
        return found.isEmpty() ? ask(request) : found;
      }
    }
    return found;
  }

  private List<BlockLocation> known(BlockRequest request) throws FallbackException {
    List<BlockLocation> found = store.find(request.block());
    if (found.isEmpty()) {
      throwIfThere(absent, Asked.of(request));
      throwIfThere(unsure, Asked.of(request));
      throwIfThere(denied, Denied.of(request));
    }
    return found;
  }

  private static <K> void throwIfThere(Cache<K, FallbackException> lately, K asked)
      throws FallbackException {
    FallbackException refusal = lately.getIfPresent(asked);
    if (refusal != null) {
      throw refusal;
    }
  }

  @Override
  public @Nullable BlockLocation following(BlockKey block) {
    return store.following(block);
  }

  @Override
  public void forget(BlockKey block) {
    store.forget(block);
  }

  private List<BlockLocation> ask(BlockRequest request) throws FallbackException {
    String poolId = request.block().poolId();
    Inquiry inquiry = new Inquiry(request);
    if (!inquiry.finds(nameNodes.candidates(poolId)) && inquiry.isAbsent()) {
      inquiry.findsElsewhere(nameNodes.others(poolId));
    }
    return inquiry.found();
  }

  /** One block, asked for at several nameservices. */
  private final class Inquiry {
    private final BlockRequest request;
    private final StringBuilder asked = new StringBuilder();
    private boolean isDown;
    private boolean isUnsure;
    private boolean isDenied;

    Inquiry(BlockRequest request) {
      this.request = request;
    }

    /** Whether one of these knows the block; those behind it are not asked. */
    boolean finds(List<URI> some) {
      for (URI nameservice : some) {
        asked.append(' ').append(nameservice);
        try {
          IOException earlier = failed.getIfPresent(nameservice);
          if (earlier != null) {
            throw earlier;
          }
          search(nameservice, request);
          if (!store.find(request.block()).isEmpty()) {
            return true;
          }
        } catch (IOException e) {
          if (hasNoSuchPath(e)) {
            asked.append(" (no such file)");
          } else {
            asked.append(" (").append(e.getMessage()).append(')');
            note(nameservice, e);
          }
        }
      }
      return false;
    }

    /** The same of those that are not known to have the pool: that one is down says little. */
    void findsElsewhere(List<URI> others) {
      finds(others);
      isUnsure |= isDown;
    }

    /** A NameNode has no such file, or a router nothing mounted there. */
    private boolean hasNoSuchPath(IOException failure) {
      return failure instanceof FileNotFoundException
          || (failure instanceof RemoteException remote
              && UNRESOLVED.contains(remote.getClassName()));
    }

    private void note(URI nameservice, IOException failure) {
      if (failure instanceof AccessControlException) {
        isDenied = true;
      } else if (failure instanceof RemoteException) {
        isUnsure = true;
      } else {
        isDown = true;
        failed.asMap().putIfAbsent(nameservice, failure); // it answers nobody, whatever is asked
      }
    }

    /** Whether all that were asked said that they do not have it. */
    boolean isAbsent() {
      return !isDown && !isUnsure && !isDenied;
    }

    /** What was found; else what is known now is kept as long as it may be true. */
    List<BlockLocation> found() throws FallbackException {
      List<BlockLocation> found = store.find(request.block());
      if (!found.isEmpty()) {
        return found;
      }
      FallbackException unknown =
          new FallbackException(
              FallbackReason.LOCATION_UNKNOWN,
              request.block() + " of " + request.fileName() + "; asked:" + asked);
      if (isUnsure) {
        unsure.put(Asked.of(request), unknown);
      } else if (isDenied && !isDown) {
        denied.put(Denied.of(request), unknown);
      } else if (!isDown) {
        absent.put(Asked.of(request), unknown);
      }
      throw unknown;
    }
  }

  /** Fetches pages from where the last one ended, then from the start, until the block shows. */
  private void search(URI nameservice, BlockRequest request) throws IOException {
    DFSClient client = nameNodes.impatient(nameservice);
    String file = request.fileName();
    String cursor = nameservice + file;
    Long last = pageEnds.getIfPresent(cursor);
    long begin = last == null ? 0 : last;
    long length = FIRST_PAGE_BLOCKS * client.getConf().getDefaultBlockSize();
    long at = begin;
    boolean wrapped = begin == 0;
    while (true) {
      LocatedBlocks page = client.getLocatedBlocks(file, at, length);
      List<LocatedBlock> blocks = page == null ? List.of() : page.getLocatedBlocks();
      boolean end = true;
      if (page != null && !blocks.isEmpty()) {
        String poolId = blocks.get(0).getBlock().getBlockPoolId();
        nameNodes.has(nameservice, poolId);
        if (!poolId.equals(request.block().poolId())) {
          return;
        }
        store.record(page, useHostname);
        recent.record(page);
        LocatedBlock lastBlock = blocks.get(blocks.size() - 1);
        at = lastBlock.getStartOffset() + Math.max(1, lastBlock.getBlockSize());
        pageEnds.put(cursor, at < page.getFileLength() ? at : 0L);
        if (!store.find(request.block()).isEmpty()) {
          return;
        }
        length = PAGE_BLOCKS * Math.max(1, blocks.get(0).getBlockSize());
        end = at >= page.getFileLength();
      }
      boolean allSeen = wrapped && (end || (begin > 0 && at >= begin));
      if (allSeen) {
        return;
      }
      if (end) {
        wrapped = true;
        at = 0;
      }
    }
  }
}
