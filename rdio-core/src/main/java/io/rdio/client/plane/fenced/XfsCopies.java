// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of xfs by its own tools and the kernel, each mounted read-only in a folder that nobody but
 * root can look into. What a program left behind that was killed, the next one removes.
 */
final class XfsCopies implements MetadataCopies {
  /** For one copy. */
  static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(5);

  /** Of each of a copy's files. */
  private static final long BYTES_MAX = 16L << 30;

  /** Two files of a copy are there at once, of so many parts of the room that there is. */
  private static final int PARTS = 3;

  /** An image is so much larger than its device. */
  private static final long SPARE_BYTES = 1L << 20;

  /** Held for as long as the program lives that made the folder. */
  private static final String LOCK = "lock";

  private static final String MOUNT = "mount";
  private static final String PREFIX = "copy-";
  private static final Logger LOG = LoggerFactory.getLogger(XfsCopies.class);

  /** Of this program, whose locks end as soon as it closes their files a second time. */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path base;
  private final MonotonicClock clock;

  /**
   * @param base folder for copies, made when it is needed
   */
  XfsCopies(Path base, MonotonicClock clock) {
    this.base = base;
    this.clock = clock;
  }

  @Override
  public void requireAble() throws IOException {
    Optional<String> unable = MountRights.whyUnable(Path.of("/proc/self/status"));
    if (unable.isPresent()) {
      throw new IOException(unable.get());
    }
    for (String tool : new String[] {"xfs_metadump", "xfs_mdrestore", "xfs_logprint"}) {
      if (Tools.find(tool).isEmpty()) {
        throw new IOException(tool + " is not here; fix: install xfsprogs");
      }
    }
  }

  @Override
  public synchronized Copy of(Path node) throws IOException {
    // Of another name until it is locked, or it could be taken for a leftover.
    Path early = newFolder();
    FileChannel lock =
        FileChannel.open(
            early.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    lock.lock();
    Path folder = early.resolveSibling(PREFIX + early.getFileName());
    OWN.add(folder);
    Files.move(early, folder);
    boolean made = false;
    try {
      Copy copy = copy(node, folder, lock);
      made = true;
      return copy;
    } finally {
      if (!made) {
        remove(folder, lock);
      }
    }
  }

  private Path newFolder() throws IOException {
    try {
      Files.createDirectories(base);
      removeLeftovers();
      return Files.createTempDirectory(
          base,
          "new-",
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new IOException(
          "no copy can be made: "
              + e
              + "; fix: let this program write to "
              + base
              + ", also where it is a service (docs/agent.md)",
          e);
    }
  }

  private Copy copy(Path node, Path folder, FileChannel lock) throws IOException {
    Tools tools = new Tools(folder, clock, NANOS_MAX);
    Path mount = Files.createDirectory(folder.resolve(MOUNT));
    long room = room(Files.getFileStore(folder).getUsableSpace());
    try (Loop view = Loop.view(tools, node)) {
      XfsImage image = new XfsImage(tools, view, folder, room);
      image.copy(view.channel().size(), SPARE_BYTES);
      image.complete(
          () -> {
            mount(tools, image.file(), mount);
            tools.run("umount", mount.toString());
          });
      mount(tools, image.file(), mount);
    }
    DeviceIdentity identity;
    try {
      identity = VolumeDevice.identify(mount);
    } catch (FallbackException e) {
      throw new IOException(e.reason() + ", " + e.detail(), e);
    }
    return new XfsCopy(mount, identity.fsUuid(), () -> remove(folder, lock));
  }

  /** For each of a copy's files. */
  static long room(long usable) {
    return Math.min(BYTES_MAX, usable / PARTS);
  }

  private static void mount(Tools tools, Path image, Path mount) throws IOException {
    try (Loop loop = Loop.of(tools, image)) {
      tools.run(
          "mount",
          "-t",
          "xfs",
          "-o",
          // Not norecovery: the log is replayed, onto the image.
          "ro,nouuid,nodev,nosuid,noexec",
          loop.node().toString(),
          mount.toString());
    }
  }

  private record XfsCopy(Path root, UUID fileSystem, Runnable removal) implements Copy {
    @Override
    public ExtentList extents(Path file, long length) throws IOException, FallbackException {
      return Fiemap.extents(file, length);
    }

    @Override
    public void close() {
      removal.run();
    }
  }

  /** Of programs that have ended: nobody holds their locks. */
  private void removeLeftovers() throws IOException {
    for (Path folder : Folders.list(base, PREFIX + "*")) {
      FileChannel lock = OWN.contains(folder) ? null : open(folder);
      if (lock != null && isFree(lock)) {
        remove(folder, lock);
      } else if (lock != null) {
        lock.close();
      }
    }
  }

  private static @Nullable FileChannel open(Path folder) {
    try {
      return FileChannel.open(
          folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      return null; // somebody else removes it
    }
  }

  private static boolean isFree(FileChannel lock) throws IOException {
    try {
      return lock.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // another thread of this program removes it
    }
  }

  private void remove(Path folder, FileChannel lock) {
    try (lock) {
      Path mount = folder.resolve(MOUNT);
      Tools tools = Tools.patient(folder, clock);
      while (Files.isDirectory(mount) && isMountPoint(mount, folder)) {
        tools.run("umount", "--lazy", mount.toString());
      }
      Loop.detachLeft(tools, folder); // or the image stays, without a name
      for (Path file : Folders.list(folder, "*")) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      LOG.warn("The copy in {} is not removed yet", folder, e);
    } finally {
      OWN.remove(folder); // its lock is closed: what is left, the next copy removes
    }
  }

  private static boolean isMountPoint(Path mount, Path folder) throws IOException {
    return !Files.getAttribute(mount, "unix:dev").equals(Files.getAttribute(folder, "unix:dev"));
  }
}
