// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.DirectoryEntry;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Superblock;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.Feature;
import io.rdio.core.ext4.FileContent;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import io.rdio.core.ext4.InodeType;
import io.rdio.core.ext4.journal.Journal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A file system that people ask about, which another host may write to meanwhile. Where the plane
 * would read by it each answer is of one moment (R6), and a file's bytes are handed out once a look
 * behind them has shown that the file is what it was (R1 to R3). Any other ext4 is read once, with
 * no look: such an answer is right as long as nobody writes.
 *
 * <p>For one thread at a time.
 */
public final class InspectedVolume {
  private static final int PIECE_BYTES = 1 << 20;
  private static final int TRIES = 2;

  /** Of metadata for one answer: more than any directory that is read has. Who asks can stop it. */
  private static final int MAX_BLOCKS = 1 << 20;

  private final Ext4Volume volume;
  private final @Nullable LiveVolume live;
  private final int pieceBytes;

  /** Takes bytes of a file, piece by piece. */
  @FunctionalInterface
  public interface Sink {
    /** Takes the next piece, of at least one byte. */
    void take(byte[] piece) throws IOException;
  }

  /** What is asked; each inode that is read is met, so that its block counts for the moment. */
  private interface Question<T> {
    T of(Ext4Volume volume, Consumer<Inode> met) throws Ext4Exception;
  }

  private InspectedVolume(Ext4Volume volume, @Nullable LiveVolume live, int pieceBytes) {
    this.volume = volume;
    this.live = live;
    this.pieceBytes = pieceBytes;
  }

  /**
   * One that is looked at.
   *
   * @param pieceBytes of a file that are read before each look, about
   */
  InspectedVolume(LiveVolume live, int pieceBytes) {
    this(live.current().volume(), live, pieceBytes);
  }

  private static InspectedVolume readOnce(Ext4Volume volume) {
    return new InspectedVolume(volume, null, PIECE_BYTES);
  }

  /**
   * Opens what a device has.
   *
   * @param image whether it is an image in a file: nobody is expected to write to it, so it is read
   *     once where its log has no proper end, and a device is refused
   * @throws Ext4Exception as {@link Ext4Volume#open} and {@link Journal#over} say
   * @throws FallbackException METADATA_UNREADABLE, or what the device came to
   */
  public static InspectedVolume open(BlockDevice device, boolean image)
      throws Ext4Exception, FallbackException {
    try {
      LiveVolume live = LiveVolume.open(device, System::nanoTime, new DeviceCounters());
      OpenVolume opened = live.look();
      return isLogLeftBehind(opened)
          ? readOnce(opened.home())
          : new InspectedVolume(live, PIECE_BYTES);
    } catch (FallbackException e) {
      Ext4Volume home = Ext4Volume.open(device);
      Ext4Volume seen = Journal.over(home);
      if (image || isNeverLookedAt(home.superblock(), seen.superblock())) {
        return readOnce(seen);
      }
      throw plain(e);
    }
  }

  /** A log that the next mount would not replay. */
  private static boolean isLogLeftBehind(OpenVolume opened) {
    return !opened.home().superblock().features().has(Feature.RECOVER)
        && opened.journal().size() > 0;
  }

  /**
   * Whether the plane refuses a file system for what it is, or nobody has it mounted; not for what
   * was met while somebody wrote to it.
   */
  private static boolean isNeverLookedAt(Ext4Superblock home, Ext4Superblock seen) {
    return !OpenVolume.isFit(home)
        || !home.features().has(Feature.RECOVER)
        || home.hasErrors()
        || seen.hasErrors();
  }

  /** Whether answers are of one moment, and bytes are looked behind. */
  boolean isLookedAt() {
    return live != null;
  }

  public int blockSize() {
    return volume.superblock().blockSize();
  }

  /**
   * What a path leads to.
   *
   * @param path as in {@link Ext4Volume#resolve}
   * @throws Ext4Exception as there
   * @throws FallbackException VOLUME_STALLED if transactions come too fast, METADATA_UNREADABLE, or
   *     what the device came to
   */
  public Inode inode(String path) throws Ext4Exception, FallbackException {
    return answer(path, (seen, met) -> seen.resolve(path, met));
  }

  /**
   * The names in a directory, in its own order, without the two dots. The type is UNKNOWN where
   * neither the directory nor an inode says one.
   *
   * @throws Ext4Exception as {@link Ext4Volume#list}
   * @throws FallbackException as {@link #inode}
   */
  public List<DirectoryEntry> list(String path) throws Ext4Exception, FallbackException {
    return answer(
        path,
        (seen, met) -> {
          List<DirectoryEntry> entries = new ArrayList<>();
          for (DirectoryEntry entry : seen.list(seen.resolve(path, met))) {
            if (!entry.isDots()) {
              InodeType type = type(seen, entry, met);
              entries.add(
                  type == entry.type()
                      ? entry
                      : new DirectoryEntry(entry.name(), entry.inode(), type));
            }
          }
          return entries;
        });
  }

  private static InodeType type(Ext4Volume seen, DirectoryEntry entry, Consumer<Inode> met)
      throws Ext4Exception {
    if (entry.type() != InodeType.UNKNOWN) {
      return entry.type();
    }
    try {
      Inode inode = seen.inode(entry.inode());
      met.accept(inode);
      return inode.type();
    } catch (Ext4Exception e) {
      if (e.kind() != Ext4Exception.Kind.NOT_FOUND) {
        throw e;
      }
      // The name is there, its inode is not.
      return InodeType.UNKNOWN;
    }
  }

  /**
   * Where the bytes of a file or directory lie.
   *
   * @throws Ext4Exception as {@link Ext4Volume#extents}
   * @throws FallbackException as {@link #inode}
   */
  public List<FileExtent> extents(String path) throws Ext4Exception, FallbackException {
    return answer(path, (seen, met) -> seen.extents(seen.resolve(path, met)));
  }

  private <T> T answer(String path, Question<T> question) throws Ext4Exception, FallbackException {
    LiveVolume looked = live;
    if (looked == null) {
      return question.of(volume, inode -> {});
    }
    return moment(
            looked,
            path,
            (opened, trace) ->
                question.of(opened.volume().mappedBy(trace), inode -> trace.add(inode.block())))
        .found();
  }

  private static <T> Moment<T> moment(LiveVolume live, String path, Moment.Walk<T> walk)
      throws Ext4Exception, FallbackException {
    try {
      return Moment.of(live, path, MAX_BLOCKS, walk);
    } catch (FallbackException e) {
      throw plain(e);
    }
  }

  /** People are told what was found, not what it means for a reader of blocks. */
  private static FallbackException plain(FallbackException e) throws Ext4Exception {
    if (e.getCause() instanceof Ext4Exception cause) {
      throw cause;
    }
    return e;
  }

  /**
   * Hands out all bytes of a file, also those that the log has the only copy of. A file that
   * changed before its first piece was handed out is resolved once more.
   *
   * @throws Ext4Exception UNSUPPORTED for what is no file, or as {@link Ext4Volume#extents}
   * @throws FallbackException LEASE_EXPIRED if the file changed: what was handed out before is its
   *     beginning as it was, and no byte of another file; or as {@link #inode}
   * @throws IOException of the sink
   */
  public void copy(String path, Sink sink) throws Ext4Exception, FallbackException, IOException {
    LiveVolume looked = live;
    if (looked == null) {
      FileContent content = new FileContent(volume, requireFile(volume.resolve(path)));
      for (byte[] piece = piece(content); piece.length > 0; piece = piece(content)) {
        sink.take(piece);
      }
      return;
    }
    long handedOut = 0;
    for (int i = 0; i < TRIES && handedOut == 0; i++) {
      ProvedFile file = resolve(looked, path);
      FileContent content = file.content();
      byte[] piece = piece(content);
      while (piece.length > 0 && file.isProvedAnew()) {
        sink.take(piece);
        handedOut += piece.length;
        piece = piece(content);
      }
      if (piece.length == 0) {
        return;
      }
    }
    throw new FallbackException(
        FallbackReason.LEASE_EXPIRED,
        looked.device().name()
            + ": the file changed while it was read, behind its first "
            + handedOut
            + " bytes");
  }

  private static Inode requireFile(Inode inode) throws Ext4Exception {
    if (inode.type() != InodeType.FILE) {
      throw Ext4Exception.unsupported("bytes of a " + inode.type().text() + ", " + inode);
    }
    return inode;
  }

  private byte[] piece(FileContent content) throws Ext4Exception {
    ByteArrayOutputStream piece = new ByteArrayOutputStream();
    while (piece.size() < pieceBytes) {
      ByteBuffer next = content.next();
      if (!next.hasRemaining()) {
        break;
      }
      byte[] bytes = new byte[next.remaining()];
      next.get(bytes);
      piece.writeBytes(bytes);
    }
    return piece.toByteArray();
  }

  private static ProvedFile resolve(LiveVolume live, String path)
      throws Ext4Exception, FallbackException {
    return new ProvedFile(
        live,
        moment(
            live,
            path,
            (opened, trace) -> {
              Ext4Volume seen = opened.volume().mappedBy(trace);
              Inode inode = requireFile(seen.resolve(path, met -> trace.add(met.block())));
              BlockTrace tree = new BlockTrace(trace);
              List<FileExtent> extents = opened.volume().mappedBy(tree).extents(inode);
              TracedFile traced = TracedFile.of(inode, extents, tree.numbers());
              return new Resolved(inode, extents, traced);
            }));
  }

  private record Resolved(Inode inode, List<FileExtent> extents, TracedFile traced) {}

  /** A file that was as it was traced at {@code provedAt}, a position of the journal. */
  private static final class ProvedFile {
    private final LiveVolume live;
    private final OpenVolume opened;
    private final Resolved file;
    private long provedAt;

    ProvedFile(LiveVolume live, Moment<Resolved> moment) {
      this.live = live;
      this.opened = moment.opened();
      this.file = moment.found();
      this.provedAt = moment.position();
    }

    /**
     * By way of the log. A copy there of a block that is the file's is the file's data
     * (data=journal), and the newer one: had it been another's, the log would have revoked it.
     */
    FileContent content() {
      return new FileContent(opened.journal(), file.inode(), file.extents());
    }

    boolean isProvedAnew() throws FallbackException {
      OpenVolume now = live.look();
      if (now != opened) {
        return false;
      }
      long position = now.journal().position();
      if (!file.traced().isUntouched(now.journal(), provedAt) && !isUnchanged(now)) {
        return false;
      }
      provedAt = position;
      return true;
    }

    /** R3. What makes no sense any more is not what it was. */
    private boolean isUnchanged(OpenVolume now) throws FallbackException {
      try {
        return file.traced().isUnchanged(now.volume());
      } catch (Ext4Exception e) {
        if (e.kind() == Ext4Exception.Kind.IO) {
          throw Refusals.ofVolume(live.device().name(), e);
        }
        return false;
      }
    }
  }
}
