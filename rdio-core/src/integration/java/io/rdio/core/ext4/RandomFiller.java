// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.core.linux.KernelFile;
import io.rdio.core.testing.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Changes a mounted file system at random, in all the ways that files are changed. */
final class RandomFiller {
  /** What a file system may answer to an operation that it has no room or no form for. */
  private static final List<String> ANSWERS =
      List.of(
          "No space left on device",
          "File too large",
          "Too many links",
          "Invalid argument"); // to a seek that no file of this form is long enough for

  private static final List<String> LETTERS = List.of("a", "ß", "漢", "😀", "e\u0301");
  private static final int MAX_NAME = 255;
  private static final int MAX_DEPTH = 12;
  private static final int LONG_NAMES_DEPTH = 4;

  private final Path root;
  private final Random random;
  private final List<Path> files = new ArrayList<>();
  private final List<Path> directories = new ArrayList<>();
  private int made;

  RandomFiller(Path root, Random random) {
    this.root = root;
    this.random = random;
    directories.add(root);
  }

  void change(int operations) throws IOException {
    for (int i = 0; i < operations; i++) {
      try {
        changeOnce();
      } catch (IOException e) {
        requireAnswer(e);
      }
    }
  }

  /**
   * A directory of so many names that it gets a tree where there are any. A third of them goes
   * again, and other names come where those were.
   */
  void crowd(int names) throws IOException {
    Path crowd = Files.createDirectory(root.resolve("crowd" + made++));
    directories.add(crowd);
    for (Path each : createMany(crowd, "blk_", names)) {
      if (random.nextInt(3) == 0) {
        Files.delete(each);
      } else if (random.nextInt(20) == 0) {
        files.add(each);
      }
    }
    createMany(crowd, "", names / 6);
  }

  private List<Path> createMany(Path directory, String prefix, int names) throws IOException {
    List<Path> created = new ArrayList<>();
    try {
      for (int i = 0; i < names; i++) {
        String name = prefix + i + "x".repeat(random.nextInt(40));
        created.add(Files.createFile(directory.resolve(name)));
      }
    } catch (IOException e) {
      requireAnswer(e);
    }
    return created;
  }

  private static void requireAnswer(IOException e) throws IOException {
    String message = String.valueOf(e.getMessage());
    if (ANSWERS.stream().noneMatch(message::contains)) {
      throw e;
    }
  }

  private void changeOnce() throws IOException {
    int kind = files.size() < 20 ? 0 : random.nextInt(17);
    switch (kind) {
      case 0, 1, 2 -> create();
      case 3 -> Files.write(file(), bytes(9000), StandardOpenOption.APPEND);
      case 4 -> scatter(file());
      case 5 -> resize(file());
      case 6, 7 -> allocate(file());
      case 8 -> rename();
      case 9 -> renameDirectory();
      case 10 -> files.add(Files.createLink(fresh(), file()));
      case 11 -> Files.createSymbolicLink(fresh(), target());
      case 12, 13 -> makeDirectory();
      case 14 -> Files.delete(files.remove(random.nextInt(files.size())));
      case 15 -> attribute(random.nextBoolean() ? file() : directory());
      default -> rare();
    }
  }

  private void create() throws IOException {
    Path file = Files.createFile(fresh());
    files.add(file);
    Files.write(file, bytes(random.nextInt(3) == 0 ? 120 : 40_000));
  }

  private byte[] bytes(int bound) {
    byte[] bytes = new byte[random.nextInt(bound)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Short runs with holes between, now and then more than the root of a tree has room for. */
  private void scatter(Path file) throws IOException {
    int runs = random.nextInt(8) == 0 ? 500 : 1 + random.nextInt(6);
    long distance = 1L << (12 + random.nextInt(random.nextInt(10) == 0 ? 22 : 8));
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      for (int i = 0; i < runs; i++) {
        open.seek(i * distance + random.nextInt(2000));
        open.write(bytes(800));
      }
    }
  }

  private void resize(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      boolean cut = open.length() > 0 && random.nextInt(3) > 0;
      open.setLength(cut ? (long) (open.length() * random.nextDouble()) : random.nextInt(1 << 24));
    }
  }

  private void allocate(Path file) throws IOException {
    long offset = random.nextInt(300_000);
    long length = 1L + random.nextInt(300_000);
    int cluster = 1 << 16;
    switch (random.nextInt(7)) {
      case 0 -> KernelFile.tryAllocate(file, 0, offset, length);
      case 1 -> KernelFile.tryAllocate(file, KernelFile.KEEP_SIZE, offset, length);
      case 2 -> KernelFile.tryAllocate(file, KernelFile.ZERO_RANGE, offset, length);
      case 3 -> KernelFile.tryAllocate(file, KernelFile.COLLAPSE_RANGE, cluster, cluster);
      case 4 -> KernelFile.tryAllocate(file, KernelFile.INSERT_RANGE, cluster, cluster);
      default ->
          KernelFile.tryAllocate(
              file, KernelFile.PUNCH_HOLE | KernelFile.KEEP_SIZE, offset / 8, length / 4);
    }
  }

  private void rename() throws IOException {
    Path from = file();
    Path to = random.nextInt(4) == 0 ? file() : fresh();
    if (!from.equals(to)) {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
      // Two names of one file stay two, whatever is moved to which.
      if (!Files.exists(from)) {
        files.remove(from);
      }
      if (!files.contains(to)) {
        files.add(to);
      }
    }
  }

  private void renameDirectory() throws IOException {
    Path from = directory();
    Path to = fresh();
    if (from.equals(root) || to.startsWith(from) || !fits(from, to)) {
      return;
    }
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    files.replaceAll(each -> each.startsWith(from) ? to.resolve(from.relativize(each)) : each);
    directories.replaceAll(
        each -> each.startsWith(from) ? to.resolve(from.relativize(each)) : each);
  }

  /** Whether no path below a directory that is moved gets too long. */
  private boolean fits(Path from, Path to) {
    int deepest =
        directories.stream()
            .filter(each -> each.startsWith(from))
            .mapToInt(each -> from.relativize(each).toString().length())
            .max()
            .orElse(0);
    return depth(to) < MAX_DEPTH && to.toString().length() + deepest < 900;
  }

  private void makeDirectory() throws IOException {
    Path directory = Files.createDirectory(fresh());
    if (depth(directory) < MAX_DEPTH) {
      directories.add(directory);
    }
  }

  private int depth(Path path) {
    return path.getNameCount() - root.getNameCount();
  }

  private Path target() {
    return Path.of("t".repeat(1 + random.nextInt(random.nextBoolean() ? 70 : 900)));
  }

  private void attribute(Path path) throws IOException {
    UserDefinedFileAttributeView view =
        Files.getFileAttributeView(path, UserDefinedFileAttributeView.class);
    view.write("a" + random.nextInt(4), ByteBuffer.wrap(bytes(random.nextBoolean() ? 60 : 700)));
  }

  private void rare() throws IOException {
    if (random.nextInt(4) == 0) {
      Command.run("mkfifo", fresh().toString());
      return;
    }
    Path directory = directory();
    if (directory.equals(root)) {
      return;
    }
    try {
      Files.delete(directory);
      directories.remove(directory);
    } catch (DirectoryNotEmptyException e) {
      // It stays.
    }
  }

  private Path file() {
    return files.get(random.nextInt(files.size()));
  }

  private Path directory() {
    return directories.get(random.nextInt(directories.size()));
  }

  private Path fresh() {
    Path directory = directory();
    return directory.resolve(name(depth(directory) < LONG_NAMES_DEPTH));
  }

  /** A name that was not there before: a number and letters of one to four bytes. */
  private String name(boolean mayBeLong) {
    StringBuilder name = new StringBuilder().append(made++).append('-');
    String letter = LETTERS.get(random.nextInt(LETTERS.size()));
    int room = MAX_NAME - name.length();
    int letterBytes = letter.getBytes(UTF_8).length;
    int most = mayBeLong && random.nextInt(3) == 0 ? room / letterBytes : 5;
    int count = random.nextInt(6) == 0 ? most : random.nextInt(most + 1);
    name.append(letter.repeat(count));
    if (most > 5 && count == most) {
      name.append("z".repeat(room - count * letterBytes));
    }
    return name.toString();
  }
}
