// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import io.rdio.core.device.Superblock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;

/**
 * The UUID of a mounted file system, in the ways that Linux has for it. The first ones ask the file
 * system itself and need no right to read the device, which a DataNode does not have.
 */
final class FsUuid {
  private static final long FS_IOC_GETFSUUID = 0x80111500L; // _IOR(0x15, 0, struct fsuuid2)
  private static final long EXT4_IOC_GETFSUUID = 0x8008662CL; // _IOR('f', 44, struct fsuuid)
  private static final long XFS_IOC_FSGEOMETRY_V1 = 0x80705864L; // _IOR('X', 100, 112 bytes)
  private static final UUID NONE = new UUID(0, 0);
  private static final int UUID_BYTES = 16;
  private static final int XFS_GEOMETRY_UUID_AT = 64;
  private static final int XFS_GEOMETRY_RTBLOCKS_AT = 40;

  private FsUuid() {}

  /**
   * @param directory in the file system
   * @param node the device's node
   * @param devfs where {@code disk/by-uuid} is
   * @throws IOException if none of the ways works; the message says which were tried
   */
  static UUID of(Path directory, String fsType, Path node, Path devfs) throws IOException {
    try (OpenFile opened = OpenFile.forReading(directory)) {
      // ext4's own ioctl first: the general one goes on telling the UUID that the file system had
      // when it was mounted, if tune2fs changed it since.
      Optional<UUID> asked =
          fsType.equals("xfs")
              ? ask(opened, XFS_IOC_FSGEOMETRY_V1, XFS_GEOMETRY_UUID_AT, 0)
              : ask(opened, EXT4_IOC_GETFSUUID, 8, UUID_BYTES)
                  .or(() -> ask(opened, FS_IOC_GETFSUUID, 1, 0));
      if (asked.isPresent()) {
        return asked.get();
      }
    }
    Optional<UUID> linked = byUuidLink(node, devfs);
    return linked.isPresent() ? linked.get() : bySuperblock(node);
  }

  /**
   * Whether files of an xfs may lie in a realtime section, where FIEMAP's offsets do not count from
   * the start of the data device: on a device of its own, or behind the rest on the same one. True
   * where the file system does not say.
   */
  static boolean mayHaveRealtimeSection(Path directory) throws IOException {
    try (OpenFile opened = OpenFile.forReading(directory)) {
      ByteBuffer geometry = argument(0);
      boolean known = opened.tryIoctl(XFS_IOC_FSGEOMETRY_V1, geometry);
      return !known || geometry.getLong(XFS_GEOMETRY_RTBLOCKS_AT) != 0;
    }
  }

  private static Optional<UUID> ask(OpenFile opened, long request, int at, int firstWord) {
    ByteBuffer argument = argument(firstWord);
    return opened.tryIoctl(request, argument)
        ? Optional.of(uuid(argument, at)).filter(uuid -> !uuid.equals(NONE))
        : Optional.empty();
  }

  // Larger than any of the structures.
  private static ByteBuffer argument(int firstWord) {
    ByteBuffer argument = ByteBuffer.allocateDirect(256).order(ByteOrder.nativeOrder());
    return argument.putInt(0, firstWord);
  }

  private static UUID uuid(ByteBuffer bytes, int at) {
    ByteBuffer raw = bytes.slice(at, UUID_BYTES);
    return new UUID(raw.getLong(0), raw.getLong(8));
  }

  private static Optional<UUID> byUuidLink(Path node, Path devfs) throws IOException {
    Path links = devfs.resolve("disk/by-uuid");
    if (!Files.isDirectory(links) || !Files.exists(node)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(links)) {
      for (Path link : entries) {
        if (Files.exists(link) && Files.isSameFile(link, node)) {
          return Optional.of(UUID.fromString(String.valueOf(link.getFileName())));
        }
      }
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static UUID bySuperblock(Path node) throws IOException {
    ByteBuffer start = ByteBuffer.allocate(Superblock.PROBE_BYTES);
    try (FileChannel channel = FileChannel.open(node, StandardOpenOption.READ)) {
      while (start.hasRemaining() && channel.read(start) > 0) {}
      return Superblock.parse(start.flip())
          .orElseThrow(() -> new IOException(node + " has no ext4 or xfs superblock"))
          .uuid();
    } catch (IOException e) {
      throw new IOException(
          "no ioctl of this kernel and no link in disk/by-uuid tells the UUID, and the superblock"
              + " cannot be read: "
              + e,
          e);
    }
  }
}
