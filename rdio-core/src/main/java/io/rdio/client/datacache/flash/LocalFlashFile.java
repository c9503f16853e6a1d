// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import com.sun.nio.file.ExtendedOpenOption;
import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.linux.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A regular file, past the page cache both ways. It is read through librdio, for an interrupted
 * thread would close a channel of java.nio for all others. Thread-safe as {@link FlashFile} says.
 */
public final class LocalFlashFile implements FlashFile {
  private static final byte[] MAGIC = "RDIO flash tier\n".getBytes(StandardCharsets.US_ASCII);
  private static final Set<OpenOption> OPTIONS =
      Set.of(
          StandardOpenOption.CREATE,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS,
          ExtendedOpenOption.DIRECT);
  private final FlashFileLock lock;
  private final FileChannel channel;
  private final BlockDevice reading;
  private final long size;
  private final AtomicBoolean closed = new AtomicBoolean();

  private LocalFlashFile(FlashFileLock lock, FileChannel channel, BlockDevice reading, long size) {
    this.lock = lock;
    this.channel = channel;
    this.reading = reading;
    this.size = size;
  }

  /**
   * Opens a file that nobody else uses and has the file system allocate it; makes it, for its owner
   * alone, if there is none. What is in it is of no use any more. The lock is that of an empty file
   * beside it, {@code .lock} behind its name, which stays.
   *
   * @param bytes a multiple of {@link FlashFile#PAGE}
   * @throws IOException with the path and what is wrong with it: a symbolic link, another user's,
   *     not a flash tier's, in use, too little space, no O_DIRECT; then it takes no space
   */
  public static FlashFile open(Path path, long bytes) throws IOException {
    Path place = OwnFiles.place(path);
    OwnFiles.check(place, false); // before there is a lock beside what is somebody else's
    FlashFileLock lock = FlashFileLock.of(place);
    boolean opened = false;
    try {
      FlashFile file = openChannel(lock, bytes);
      opened = true;
      return file;
    } catch (UnsupportedOperationException e) {
      throw new IOException(place + " cannot be opened with O_DIRECT", e);
    } catch (FallbackException e) {
      throw new IOException(place + " cannot be read: " + e.detail(), e);
    } finally {
      if (!opened) {
        lock.close();
      }
    }
  }

  private static FlashFile openChannel(FlashFileLock lock, long bytes)
      throws IOException, FallbackException {
    Path path = lock.path();
    OwnFiles.check(path, false);
    FileChannel channel = FileChannel.open(path, OPTIONS, OwnFiles.ownersAlone());
    boolean ours = false;
    boolean opened = false;
    try {
      OwnFiles.check(path, true);
      checkContent(path, channel);
      ours = true;
      allocate(path, channel, bytes);
      BlockDevice reading = NamedDevice.openFile(path);
      opened = true;
      return new LocalFlashFile(lock, channel, reading, bytes);
    } finally {
      if (!opened) {
        letGo(channel, ours);
      }
    }
  }

  /** The header comes first: a file of zeros would be refused by the next start. */
  private static void allocate(Path path, FileChannel channel, long bytes) throws IOException {
    Files.setPosixFilePermissions(path, OwnFiles.MODE);
    long more = bytes - channel.size();
    long free = path.toFile().getUsableSpace();
    if (more > free) {
      throw new IOException(
          path + " needs " + more + " bytes more, and its file system has " + free);
    }
    channel.write(header(), 0);
    channel.truncate(bytes);
    DurableFiles.allocate(path, 0, bytes);
  }

  /** Closes a file, which takes no space then if it is a flash tier's. */
  private static void letGo(FileChannel channel, boolean ours) {
    try (channel) {
      if (ours) {
        channel.truncate(0);
      }
    } catch (IOException e) {
      // It is truncated when it is next opened; the descriptor is gone.
    }
  }

  /** Refuses a file of another kind, which somebody may need. */
  private static void checkContent(Path path, FileChannel channel) throws IOException {
    ByteBuffer start = page();
    boolean ours = channel.size() == 0 || channel.read(start, 0) >= MAGIC.length;
    for (int i = 0; ours && channel.size() > 0 && i < MAGIC.length; i++) {
      ours = start.get(i) == MAGIC[i];
    }
    if (!ours) {
      throw new IOException(path + " has something that is not of a flash tier; move it away");
    }
  }

  private static ByteBuffer header() {
    return page().put(0, MAGIC);
  }

  private static ByteBuffer page() {
    return ByteBuffer.allocateDirect(2 * PAGE).alignedSlice(PAGE).slice(0, PAGE);
  }

  @Override
  public String name() {
    return lock.path().toString();
  }

  @Override
  public long sizeBytes() {
    return size;
  }

  @Override
  public void read(long offset, ByteBuffer to) throws IOException {
    try {
      reading.read(offset, to);
    } catch (FallbackException e) {
      throw new IOException(e.detail(), e);
    }
  }

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    for (long at = offset; from.hasRemaining(); ) {
      at += channel.write(from, at);
    }
  }

  /** Gives the space back, too. Idempotent. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      letGo(channel, true);
    } finally {
      lock.close();
    }
  }
}
