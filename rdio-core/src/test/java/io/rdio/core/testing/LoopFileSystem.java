// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A new ext4 or xfs file system, mounted on a directory of its own. {@link #close} always unmounts
 * and detaches. Needs what {@link Requirements#requireLoop} asks for.
 */
public final class LoopFileSystem implements AutoCloseable {
  /** The least that mkfs.xfs takes, and a little more. */
  public static final long XFS_BYTES = 320L << 20;

  public static final long EXT4_BYTES = 64L << 20;

  private static final int UNMOUNT_ATTEMPTS = 100;
  private static final long UNMOUNT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final @Nullable LoopDevice loop;
  private final Path device;
  private final Path mountPoint;
  private boolean mounted;

  private LoopFileSystem(@Nullable LoopDevice loop, Path device, Path mountPoint) {
    this.loop = loop;
    this.device = device;
    this.mountPoint = mountPoint;
  }

  /** Of the smallest size that serves, with mkfs's defaults; skips the test where it cannot be. */
  public static LoopFileSystem create(String fsType) throws IOException {
    return create(fsType, fsType.equals("xfs") ? XFS_BYTES : EXT4_BYTES, List.of(), "defaults");
  }

  /**
   * Skips the test where it cannot be.
   *
   * @param mkfsOptions for example {@code -b 1024}
   * @param mountOptions as after {@code mount -o}
   */
  public static LoopFileSystem create(
      String fsType, long bytes, List<String> mkfsOptions, String mountOptions) throws IOException {
    Requirements.requireLoop(fsType);
    LoopDevice loop = LoopDevice.create(bytes);
    try {
      return make(loop, loop.node(), fsType, mkfsOptions, mountOptions);
    } catch (IOException e) {
      loop.close();
      throw e;
    }
  }

  /** One that is on a device already, which stays when this is closed. */
  public static LoopFileSystem existing(Path device, String mountOptions) throws IOException {
    return mounted(null, device, mountOptions);
  }

  /** A new one on a device that stays when this is closed. */
  public static LoopFileSystem on(Path device, String fsType, String... mkfsOptions)
      throws IOException {
    return make(null, device, fsType, List.of(mkfsOptions), "defaults");
  }

  private static LoopFileSystem make(
      @Nullable LoopDevice loop,
      Path device,
      String fsType,
      List<String> mkfsOptions,
      String mountOptions)
      throws IOException {
    List<String> mkfs = new ArrayList<>(List.of("mkfs." + fsType, "-q"));
    mkfs.addAll(mkfsOptions);
    mkfs.add(device.toString());
    Command.run(mkfs.toArray(String[]::new));
    return mounted(loop, device, mountOptions);
  }

  private static LoopFileSystem mounted(@Nullable LoopDevice loop, Path device, String mountOptions)
      throws IOException {
    LoopFileSystem made =
        new LoopFileSystem(loop, device, Files.createTempDirectory("rdio-mount-"));
    try {
      made.mount(mountOptions);
      return made;
    } catch (IOException e) {
      Files.delete(made.mountPoint);
      throw e;
    }
  }

  public Path mountPoint() {
    return mountPoint;
  }

  /** Node of the device that holds it. */
  public Path device() {
    return device;
  }

  /** As blkid reads it. */
  public UUID uuid() throws IOException {
    return UUID.fromString(
        Command.run("blkid", "-p", "-s", "UUID", "-o", "value", device.toString()));
  }

  public void mount(String options) throws IOException {
    Command.run("mount", "-o", options, device.toString(), mountPoint.toString());
    mounted = true;
  }

  public void unmount() throws IOException {
    for (int attempt = 1; mounted; attempt++) {
      try {
        Command.run("umount", mountPoint.toString());
        mounted = false;
      } catch (IOException e) {
        if (attempt == UNMOUNT_ATTEMPTS) {
          throw e;
        }
        // It is busy while RDIO has an image on it open: descriptors are closed when their devices
        // are garbage.
        System.gc();
        LockSupport.parkNanos(UNMOUNT_PAUSE_NANOS);
      }
    }
  }

  /**
   * Waits until a file system that was unmounted here is gone. It may still be in a mount namespace
   * of its own, as of a program that a test beside this one runs: whoever mounts its device again
   * meanwhile has the very same, with all that the kernel has in memory of it.
   *
   * @param type ext4 or xfs
   */
  public static void awaitGone(String type, Path device) {
    Path mounted = Path.of("/sys/fs", type, String.valueOf(device.getFileName()));
    Patience.await(device + " is unmounted everywhere").until(() -> !Files.exists(mounted));
  }

  @Override
  public void close() throws IOException {
    try {
      unmount();
      Files.deleteIfExists(mountPoint);
    } finally {
      if (loop != null) {
        loop.close();
      }
    }
  }
}
