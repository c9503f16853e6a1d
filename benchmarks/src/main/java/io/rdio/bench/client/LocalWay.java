// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * By the file system of a volume, on its host: block files are opened, read by O_DIRECT and closed,
 * and files of its own written so. No server, no network, no checksums: what local files of the
 * same device can give. What was written is on the device at a close; the file system's own records
 * of it may not be.
 */
final class LocalWay implements ReadWay {
  private static final int OUTPUT_BYTES = 1 << 20;

  private final Path folder;
  private final Map<String, List<Path>> blockFiles = new HashMap<>();
  private final Queue<ByteBuffer> spareBuffers = new ConcurrentLinkedQueue<>();
  private final Queue<ByteBuffer> spareOutputBuffers = new ConcurrentLinkedQueue<>();

  LocalWay(LocalLayout layout) {
    this.folder = Path.of(layout.folder());
    layout
        .files()
        .forEach((file, paths) -> blockFiles.put(file, paths.stream().map(Path::of).toList()));
  }

  private List<Path> paths(String file) {
    List<Path> paths = blockFiles.get(file);
    return paths != null ? paths : List.of(written(file));
  }

  private Path written(String file) {
    return folder.resolve(file.replace('/', '_'));
  }

  private static FileChannel openToRead(Path path) throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ, ExtendedOpenOption.DIRECT);
  }

  @Override
  public Stream stream(String file, int readBytes) throws IOException {
    int blocks = (readBytes + DeviceWay.ALIGNMENT - 1) / DeviceWay.ALIGNMENT;
    return new LocalStream(paths(file), blocks * DeviceWay.ALIGNMENT);
  }

  @Override
  public OutputStream create(String file, Output output) throws IOException {
    return new LocalOutput(
        FileChannel.open(
            written(file),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE,
            ExtendedOpenOption.DIRECT));
  }

  @Override
  public void delete(String file) throws IOException {
    Files.delete(written(file));
  }

  @Override
  public ByteBuffer buffer(int bytes) {
    return DeviceWay.aligned(bytes);
  }

  @Override
  public long takeShortCircuitBytes() {
    return 0;
  }

  @Override
  public void close() {
    // What is open is closed by who opened it.
  }

  /** Block file after block file. */
  private final class LocalStream implements Stream {
    private final Iterator<Path> rest;
    private final ByteBuffer buffer;
    private @Nullable FileChannel channel;
    private long position;

    /**
     * Opens the first one.
     *
     * @param bytes to ask for at a time, a multiple of the alignment
     */
    LocalStream(List<Path> paths, int bytes) throws IOException {
      rest = paths.iterator();
      channel = rest.hasNext() ? openToRead(rest.next()) : null;
      ByteBuffer spare = spareBuffers.poll();
      buffer = spare != null && spare.capacity() == bytes ? spare : DeviceWay.aligned(bytes);
    }

    @Override
    public @Nullable ByteBuffer next() throws IOException {
      for (FileChannel open = channel; open != null; open = channel) {
        int count = open.read(buffer.clear(), position);
        position += Math.max(0, count);
        if (count < buffer.capacity()) {
          nextBlock();
        }
        if (count > 0) {
          return buffer.flip();
        }
      }
      return null;
    }

    /** A file ends where less came than was asked for. */
    private void nextBlock() throws IOException {
      closeBlock();
      position = 0;
      channel = rest.hasNext() ? openToRead(rest.next()) : null;
    }

    private void closeBlock() throws IOException {
      FileChannel ended = channel;
      channel = null;
      if (ended != null) {
        ended.close();
      }
    }

    @Override
    public void close() throws IOException {
      spareBuffers.add(buffer);
      closeBlock();
    }
  }

  /**
   * Takes arrays of whole 4 KiB only. They are copied: for an array the JDK would make a direct
   * buffer and keep it for the thread, and JDK 17 fails when it is to free an aligned one.
   */
  private final class LocalOutput extends OutputStream {
    private final FileChannel channel;
    private final ByteBuffer buffer;

    LocalOutput(FileChannel channel) {
      this.channel = channel;
      ByteBuffer spare = spareOutputBuffers.poll();
      buffer = spare != null ? spare : DeviceWay.aligned(OUTPUT_BYTES);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      for (int done = 0; done < length; ) {
        int part = Math.min(length - done, buffer.capacity());
        buffer.clear().put(bytes, offset + done, part).flip();
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        done += part;
      }
    }

    @Override
    public void write(int value) throws IOException {
      throw new IOException("O_DIRECT writes no single byte");
    }

    @Override
    public void close() throws IOException {
      if (channel.isOpen()) {
        spareOutputBuffers.add(buffer);
      }
      channel.close();
    }
  }
}
