// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.testing.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * A writer that does to files, in every order, what takes blocks away from one and gives them to
 * another. Each word of a file's data is that content's own number; which names a content ever had
 * is known before it has them. Its {@link Marks} say in other processes, too, which names it may
 * have.
 */
final class AttackingWriter implements Runnable, Marks.Contents {
  static final int BLOCKS = 24;
  static final int PAGE = 4096;
  static final int MAX_PAGES = 12;

  private static final int CHUNK = 512;
  private static final int HEADER = 7;
  private static final String SPARE = "spare";

  private final Path finalized;
  private final Path outside;
  private final Random random;
  private final Map<Long, Set<String>> names;
  private final Map<String, Long> contents = new ConcurrentHashMap<>();
  private final List<Path> others = new ArrayList<>();
  private long made;
  private volatile boolean stopped;
  private volatile Throwable failure;

  AttackingWriter(Path finalized, Path outside, long seed) {
    this(finalized, outside, seed, new ConcurrentHashMap<>());
  }

  private AttackingWriter(Path finalized, Path outside, long seed, Map<Long, Set<String>> names) {
    this.finalized = finalized;
    this.outside = outside;
    this.random = new Random(seed);
    this.names = names;
  }

  /**
   * The next one, on a file system whose power was cut while this wrote to it. This one must have
   * ended.
   */
  AttackingWriter successor(Path newFinalized, Path newOutside, long seed) throws IOException {
    AttackingWriter next = new AttackingWriter(newFinalized, newOutside, seed, names);
    next.made = made;
    try (Stream<Path> found = Files.list(newOutside)) {
      found.forEach(next.others::add);
    }
    for (int i = 0; i < BLOCKS; i++) {
      next.adopt(name(i));
    }
    return next;
  }

  /** What is left of a block goes on as that, if it has its content and a meta file. */
  private void adopt(String name) throws IOException {
    if (Files.exists(file(name)) && Files.exists(meta(name)) && Files.size(file(name)) >= PAGE) {
      ByteBuffer start = ByteBuffer.allocate(Long.BYTES);
      try (FileChannel channel = FileChannel.open(file(name), StandardOpenOption.READ)) {
        channel.read(start, 0);
      }
      if (isOf(start.getLong(0), name)) {
        contents.put(name, start.getLong(0));
        return;
      }
    }
    Files.deleteIfExists(file(name));
    Files.deleteIfExists(meta(name));
  }

  /** Whether a content ever was what a block's name leads to. */
  @Override
  public boolean isOf(long content, String name) {
    return names.getOrDefault(content, Set.of()).contains(name);
  }

  static String name(int block) {
    return "blk_" + block;
  }

  void stop() {
    stopped = true;
  }

  /** Contents that it has made, once it has ended. */
  long made() {
    return made;
  }

  void requireAlive() {
    if (failure != null) {
      throw new AssertionError("the writer failed", failure);
    }
  }

  @Override
  public void run() {
    try {
      while (!stopped) {
        step();
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
  }

  /** Makes all blocks, durably. */
  void begin() throws IOException {
    for (int i = 0; i < BLOCKS; i++) {
      create(name(i));
    }
    Command.run("sync", "-f", finalized.toString());
  }

  void step() throws IOException {
    String name = name(random.nextInt(BLOCKS));
    boolean exists = contents.containsKey(name);
    switch (random.nextInt(8)) {
      case 0, 1 -> {
        if (exists) {
          delete(name);
          writeOther();
        } else {
          create(name);
        }
      }
      case 2 -> {
        if (exists) {
          rewrite(name);
        }
      }
      case 3 -> {
        if (exists) {
          truncate(name);
          writeOther();
        }
      }
      case 4 -> swap(name);
      case 5 -> writeOther();
      case 6 -> deleteOther();
      default -> sync(name);
    }
  }

  private Path file(String name) {
    return finalized.resolve(name);
  }

  private Path meta(String name) {
    return finalized.resolve(name + "_1001.meta");
  }

  private long content(String name) {
    long content = Marks.of(++made, name, random);
    names.computeIfAbsent(content, any -> ConcurrentHashMap.newKeySet()).add(name);
    contents.put(name, content);
    return content;
  }

  void create(String name) throws IOException {
    write(name, 1 + random.nextInt(MAX_PAGES), StandardOpenOption.CREATE_NEW);
  }

  private void rewrite(String name) throws IOException {
    write(name, 1 + random.nextInt(MAX_PAGES), StandardOpenOption.TRUNCATE_EXISTING);
  }

  private void write(String name, int pages, StandardOpenOption how) throws IOException {
    long content = content(name);
    put(file(name), content, pages, how);
    put(meta(name), meta(content, pages * PAGE), how);
    if (random.nextBoolean()) {
      sync(name);
    }
  }

  private void truncate(String name) throws IOException {
    long pages = Files.size(file(name)) / PAGE;
    int left = 1 + random.nextInt((int) pages);
    cut(file(name), (long) left * PAGE);
    cut(meta(name), metaLength(left * PAGE));
    sync(name);
  }

  private void delete(String name) throws IOException {
    contents.remove(name);
    Files.delete(file(name));
    Files.delete(meta(name));
    if (random.nextBoolean()) {
      sync(finalized);
    }
  }

  /** A block and another one whose contents may be each other's change places, if there is one. */
  private void swap(String one) throws IOException {
    int first = random.nextInt(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      String two = name((first + i) % BLOCKS);
      if (!one.equals(two)
          && Marks.isOf(contents.getOrDefault(one, 0L), two)
          && Marks.isOf(contents.getOrDefault(two, 0L), one)) {
        swap(one, two);
        return;
      }
    }
  }

  private void swap(String one, String two) throws IOException {
    Long first = contents.get(one);
    Long second = contents.get(two);
    if (one.equals(two) || first == null || second == null) {
      return;
    }
    names.getOrDefault(first, Set.of()).add(two);
    names.getOrDefault(second, Set.of()).add(one);
    move(file(one), file(two));
    move(meta(one), meta(two));
    contents.put(one, second);
    contents.put(two, first);
  }

  private void move(Path one, Path two) throws IOException {
    Path spare = finalized.resolve(SPARE);
    Files.move(one, spare, StandardCopyOption.ATOMIC_MOVE);
    Files.move(two, one, StandardCopyOption.ATOMIC_MOVE);
    Files.move(spare, two, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Somebody else's file, which takes what is free. */
  private void writeOther() throws IOException {
    Path file = outside.resolve("other" + ++made);
    put(file, Marks.ofNobody(made), 1 + random.nextInt(MAX_PAGES), StandardOpenOption.CREATE_NEW);
    others.add(file);
    sync(file);
    if (others.size() > BLOCKS) {
      deleteOther();
    }
  }

  private void deleteOther() throws IOException {
    if (!others.isEmpty()) {
      Files.delete(others.remove(random.nextInt(others.size())));
    }
  }

  private void sync(String name) throws IOException {
    if (contents.containsKey(name)) {
      sync(file(name));
      sync(meta(name));
    }
  }

  private static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void cut(Path file, long size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(size);
    }
  }

  private static void put(Path file, long content, int pages, StandardOpenOption how)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(pages * PAGE);
    while (bytes.hasRemaining()) {
      bytes.putLong(content);
    }
    put(file, bytes.flip(), how);
  }

  private static void put(Path file, ByteBuffer bytes, StandardOpenOption how) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, how)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  private static int metaLength(int bytes) {
    return HEADER + Integer.BYTES * bytes / CHUNK;
  }

  /** A meta file, all of whose chunks are the same. */
  private static ByteBuffer meta(long content, int bytes) {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    while (chunk.hasRemaining()) {
      chunk.putLong(content);
    }
    CRC32C crc = new CRC32C();
    crc.update(chunk.flip());
    ByteBuffer meta = ByteBuffer.allocate(metaLength(bytes));
    meta.putShort((short) 1).put((byte) 2).putInt(CHUNK);
    while (meta.hasRemaining()) {
      meta.putInt((int) crc.getValue());
    }
    return meta.flip();
  }
}
