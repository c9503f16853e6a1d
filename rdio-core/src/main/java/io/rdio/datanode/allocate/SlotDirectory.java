// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;
import io.rdio.core.linux.DurableFiles;
import io.rdio.datanode.volume.AgentFences;
import io.rdio.datanode.volume.KeptLinks;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders of one volume's slots, {@code <volumeRoot>/rdio/slots/}: {@code making/}, {@code
 * pool/<bytes>/}, {@code leased/<Q in ms>/}, and {@code kept/} for files of blocks that are to be
 * slots again. Which of them a slot is in says who may write to it, also after a power loss: each
 * move is durable before it returns. Thread-safe.
 */
final class SlotDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(SlotDirectory.class);
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");
  private static final Pattern POOLED = Pattern.compile("([0-9a-f]{16})\\.([0-9a-f]{16})");
  private static final Pattern STAGED =
      Pattern.compile(
          "([0-9a-f]{16})\\.[0-9a-f]{16}\\.-?[0-9]{1,19}\\.[0-9]{1,19}(?:\\.([0-9a-f]{16}))?");
  private static final Pattern KEPT =
      Pattern.compile("([0-9a-f]{16})\\.([0-9a-f]{16})\\.(-?[0-9]{1,19})\\.([0-9]{1,19})");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,12}");

  private final Path volumeRoot;
  private final Path rdio;
  private final Path slots;
  private final Path making;
  private final Path pool;
  private final Path allLeased;
  private final Path leased;
  private final Path kept;
  private final ReplicaNames.Syncing syncing;

  /** A file of the pool, as its name says: nobody looked into it yet. */
  record Pooled(Path file, long number, long nonce, long bytes) {}

  /**
   * A slot that an earlier incarnation lent.
   *
   * @param holdMillis how long it is to be left alone from now on
   * @param hostKey by which its host can be shut out; {@link AgentFences#NOBODY} if it cannot
   */
  record Lent(Path file, long number, long holdMillis, long hostKey) {}

  /**
   * A block's file that is to be a slot again.
   *
   * @param number as a slot, which it keeps
   * @param nonce under which it was lent for the block
   * @param stamp the block's generation stamp when it was committed
   * @param bytes of the file by then, or when it was found
   */
  record Kept(long number, long nonce, long blockId, long stamp, long bytes) {
    static Kept of(Slot slot, BlockKey block) {
      return new Kept(
          slot.number(), slot.nonce(), block.blockId(), block.generationStamp(), slot.bytes());
    }

    private String name() {
      return Slot.name(number, nonce) + "." + blockId + "." + stamp;
    }
  }

  /**
   * @param quarantineMillis {@code Q} of what is staged from now on
   */
  SlotDirectory(Path volumeRoot, long quarantineMillis) {
    this(volumeRoot, quarantineMillis, DurableFiles::syncDirectory);
  }

  /**
   * @param syncing makes moves durable
   */
  SlotDirectory(Path volumeRoot, long quarantineMillis, ReplicaNames.Syncing syncing) {
    this.syncing = syncing;
    this.volumeRoot = volumeRoot;
    this.rdio = volumeRoot.resolve("rdio");
    this.slots = rdio.resolve("slots");
    this.making = slots.resolve("making");
    this.pool = slots.resolve("pool");
    this.allLeased = slots.resolve("leased");
    this.leased = allLeased.resolve(Long.toString(quarantineMillis));
    this.kept = KeptLinks.folder(volumeRoot);
  }

  /** Makes the folders, durably, for their owner alone. */
  void create() throws IOException {
    make(volumeRoot, rdio);
    make(rdio, slots);
    make(slots, making);
    make(slots, pool);
    make(slots, allLeased);
    make(allLeased, leased);
  }

  /** Makes the folder of files that are kept, durably, in those of {@link #create}. */
  void createKept() throws IOException {
    make(slots, kept);
  }

  /** Makes a folder of ours, durably, in one that is there. */
  static void make(Path parent, Path path) throws IOException {
    try {
      Files.createDirectory(path, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(path)) {
        throw (IOException) new NotDirectoryException(path.toString()).initCause(e);
      }
      Files.setPosixFilePermissions(path, OWNER_ONLY);
    }
    DurableFiles.syncDirectory(parent);
  }

  /** Where a slot is made. */
  Path making(long number) {
    return making.resolve(HexFormat.of().toHexDigits(number));
  }

  private Path poolOf(long bytes) {
    return pool.resolve(Long.toString(bytes));
  }

  Path pooled(Slot slot) {
    return poolOf(slot.bytes()).resolve(slot.name());
  }

  /**
   * Where a slot of the pool goes that is lent for a block.
   *
   * @param hostKey as in {@link Lent}: a restart must not forget whom to shut out
   */
  Path staged(Slot slot, BlockKey block, long hostKey) {
    String name = slot.name() + "." + block.blockId() + "." + block.generationStamp();
    return leased.resolve(
        hostKey == AgentFences.NOBODY ? name : name + "." + HexFormat.of().toHexDigits(hostKey));
  }

  /**
   * Gives a file to the pool, from whichever folder. Durable. What fails has left it where it was,
   * or removed it: in the pool, and in nobody's memory, it would take space until the next start.
   */
  void toPool(Path from, Slot slot) throws IOException {
    Path folder = poolOf(slot.bytes());
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      make(pool, folder);
    }
    Path to = pooled(slot);
    boolean durable = false;
    try {
      move(from, to);
      durable = true;
    } finally {
      if (!durable) {
        Files.deleteIfExists(to);
      }
    }
  }

  /**
   * Takes a slot out of the pool. Durable. What fails may have moved it all the same.
   *
   * @param to as {@link #staged} says
   */
  void stage(Slot slot, Path to) throws IOException {
    move(pooled(slot), to);
  }

  /** The link of a block's file by which that is to be a slot again. */
  Path link(Kept file) {
    return kept.resolve(file.name());
  }

  /**
   * Takes a file that has no name but that in {@code kept/} among those that nobody may write to
   * yet. Durable, and with it all that the file system did before: that the block is gone, too.
   * What fails has left it where it was, or removed it.
   *
   * @return where it is now
   */
  Path recycle(Kept file) throws IOException {
    Path to = leased.resolve(file.name());
    boolean durable = false;
    try {
      move(link(file), to);
      durable = true;
      return to;
    } finally {
      if (!durable) {
        Files.deleteIfExists(to);
      }
    }
  }

  private void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    syncing.sync(to.resolveSibling("."));
    syncing.sync(from.resolveSibling("."));
  }

  /** Removes what an earlier incarnation had begun to make. */
  void emptyMaking() throws IOException {
    for (Path file : list(making)) {
      Files.deleteIfExists(file); // whose it was may just have removed it
    }
  }

  /** What is in the pool. What is there under other names is told and left alone. */
  List<Pooled> pool() throws IOException {
    List<Pooled> found = new ArrayList<>();
    for (Path folder : numbered(pool)) {
      for (Path file : list(folder)) {
        Matcher name = POOLED.matcher(nameOf(file));
        if (name.matches()) {
          found.add(
              new Pooled(
                  file,
                  Long.parseUnsignedLong(name.group(1), 16),
                  Long.parseUnsignedLong(name.group(2), 16),
                  Long.parseLong(nameOf(folder))));
        } else {
          strange(file);
        }
      }
    }
    return found;
  }

  /** What an earlier incarnation had lent. */
  List<Lent> lent() throws IOException {
    List<Lent> found = new ArrayList<>();
    for (Path folder : numbered(allLeased)) {
      for (Path file : list(folder)) {
        Matcher name = STAGED.matcher(nameOf(file));
        if (name.matches()) {
          found.add(
              new Lent(
                  file,
                  Long.parseUnsignedLong(name.group(1), 16),
                  Long.parseLong(nameOf(folder)),
                  hostKey(name.group(2))));
        } else {
          strange(file);
        }
      }
    }
    return found;
  }

  /** What was kept; nothing where that folder was never made. */
  List<Kept> kept() throws IOException {
    List<Kept> found = new ArrayList<>();
    for (Path link : keptLinks()) {
      Kept one = keptAs(link, Files.size(link));
      if (one != null) {
        found.add(one);
      }
    }
    return found;
  }

  /** The links of what was kept; nobody looks at the files. */
  List<Path> keptLinks() throws IOException {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(kept, LinkOption.NOFOLLOW_LINKS)) {
      for (Path link : list(kept)) {
        if (keptAs(link, 0) == null) {
          strange(link);
        } else {
          found.add(link);
        }
      }
    }
    return found;
  }

  /** Null if no file that is kept has such a name. */
  private static @Nullable Kept keptAs(Path file, long bytes) {
    Matcher name = KEPT.matcher(nameOf(file));
    if (!name.matches()) {
      return null;
    }
    try {
      return new Kept(
          Long.parseUnsignedLong(name.group(1), 16),
          Long.parseUnsignedLong(name.group(2), 16),
          Long.parseLong(name.group(3)),
          Long.parseLong(name.group(4)),
          bytes);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static long hostKey(@Nullable String digits) {
    return digits == null ? AgentFences.NOBODY : Long.parseUnsignedLong(digits, 16);
  }

  private static List<Path> numbered(Path parent) throws IOException {
    List<Path> folders = new ArrayList<>();
    for (Path folder : list(parent)) {
      if (NUMBER.matcher(nameOf(folder)).matches()
          && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        folders.add(folder);
      } else {
        strange(folder);
      }
    }
    return folders;
  }

  private static void strange(Path path) {
    LOG.warn("{} is not of RDIO's slots and is left alone; remove it by hand", path);
  }

  private static String nameOf(Path path) {
    return Objects.toString(path.getFileName(), "");
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }
}
