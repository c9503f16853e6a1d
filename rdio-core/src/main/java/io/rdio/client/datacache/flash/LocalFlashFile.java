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
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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
  private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-------");

  // Of st_mode, as stat(2) has it.
  private static final int TYPE_MASK = 0xF000;
  private static final int REGULAR_FILE = 0x8000;

  private static final Pattern EFFECTIVE_USER = Pattern.compile("\nUid:\\s+\\d+\\s+(\\d+)");

  /** Files open here: to close a file once more would end this process's lock on it. */
  private static final Set<Path> IN_USE = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel channel;
  private final BlockDevice reading;
  private final long size;

  private LocalFlashFile(Path path, FileChannel channel, BlockDevice reading, long size) {
    this.path = path;
    this.channel = channel;
    this.reading = reading;
    this.size = size;
  }

  /**
   * Opens a file that nobody else uses and has the file system allocate it; makes it, for its owner
   * alone, if there is none. What is in it is of no use any more.
   *
   * @param bytes a multiple of {@link FlashFile#PAGE}
   * @throws IOException with the path and what is wrong with it: a symbolic link, another user's,
   *     not a flash tier's, in use, too little space, no O_DIRECT
   */
  public static FlashFile open(Path path, long bytes) throws IOException {
    Path place = path.toAbsolutePath().normalize();
    if (!IN_USE.add(place)) {
      throw inUse(place, null);
    }
    boolean opened = false;
    try {
      FlashFile file = openChannel(place, bytes);
      opened = true;
      return file;
    } catch (UnsupportedOperationException e) {
      throw new IOException(place + " cannot be opened with O_DIRECT", e);
    } finally {
      if (!opened) {
        IN_USE.remove(place);
      }
    }
  }

  private static IOException inUse(Path path, @Nullable Throwable cause) {
    return new IOException(path + " is in use by this process or another one", cause);
  }

  private static FlashFile openChannel(Path path, long bytes) throws IOException {
    checkOwner(path, false);
    FileChannel channel =
        FileChannel.open(path, OPTIONS, PosixFilePermissions.asFileAttribute(MODE));
    boolean opened = false;
    try {
      checkOwner(path, true);
      checkContent(path, channel);
      DurableFiles.allocate(path, 0, bytes); // opens it and closes it: before it is locked
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw inUse(path, null);
      }
      Files.setPosixFilePermissions(path, MODE);
      channel.truncate(bytes);
      channel.write(header(), 0);
      BlockDevice reading = NamedDevice.openFile(path);
      opened = true;
      return new LocalFlashFile(path, channel, reading, bytes);
    } catch (OverlappingFileLockException e) {
      opened = true; // not closed: that would end the lock of whoever has it in this process
      throw inUse(path, e);
    } catch (FallbackException e) {
      throw new IOException(path + " cannot be read: " + e.detail(), e);
    } finally {
      if (!opened) {
        channel.close();
      }
    }
  }

  /** Throws unless it is a file of this user's alone, or is not there and need not be. */
  private static void checkOwner(Path path, boolean required) throws IOException {
    Map<String, Object> found;
    try {
      found = Files.readAttributes(path, "unix:mode,uid,nlink", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      if (required) {
        throw e;
      }
      return;
    }
    if ((number(found, "mode") & TYPE_MASK) != REGULAR_FILE) {
      throw new IOException(path + " is not a regular file (symbolic links are not followed)");
    }
    if (number(found, "nlink") != 1) {
      throw new IOException(path + " has another name (a hard link)");
    }
    if (number(found, "uid") != effectiveUser()) {
      throw new IOException(path + " belongs to user " + number(found, "uid"));
    }
  }

  private static int number(Map<String, Object> attributes, String name) {
    return (Integer) Objects.requireNonNull(attributes.get(name));
  }

  private static int effectiveUser() throws IOException {
    Matcher users = EFFECTIVE_USER.matcher(Files.readString(Path.of("/proc/self/status")));
    if (users.find()) {
      return (int) Long.parseLong(users.group(1));
    }
    throw new IOException("/proc/self/status does not say whose this process is");
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
    return path.toString();
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

  /** Gives the space back, too. */
  @Override
  public void close() {
    try (channel) {
      channel.truncate(0);
    } catch (IOException e) {
      // It is truncated when it is next opened; the descriptor is gone.
    } finally {
      IN_USE.remove(path);
    }
  }
}
