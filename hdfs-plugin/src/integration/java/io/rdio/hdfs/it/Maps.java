// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.BlockDevice;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** The file maps, pins and block files behind a test. */
public final class Maps {
  private Maps() {}

  /** The map that this JVM's clients of this configuration use for one block of a file. */
  public static FileMap of(FileSystem rdio, Path file, int index)
      throws IOException, FallbackException {
    return of(rdio, file, blocks(rdio, file).get(index));
  }

  /** As {@link #of(FileSystem, Path, int)}; asked for with this very token, if it is asked for. */
  public static FileMap of(FileSystem rdio, Path file, LocatedBlock located)
      throws IOException, FallbackException {
    ExtendedBlock block = located.getBlock();
    ByteArrayOutputStream token = new ByteArrayOutputStream();
    located.getBlockToken().write(new DataOutputStream(token));
    BlockKey key =
        new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    return RdioClientContext.get(rdio.getConf())
        .maps()
        .get(new BlockRequest(new TokenedBlock(key, token.toByteArray()), file.toUri().getPath()));
  }

  public static List<LocatedBlock> blocks(FileSystem fs, Path file) throws IOException {
    return ((DistributedFileSystem) fs)
        .getClient()
        .getLocatedBlocks(file.toUri().getPath(), 0, Long.MAX_VALUE)
        .getLocatedBlocks();
  }

  public static BlockDevice deviceOf(FileSystem rdio, FileMap map) throws FallbackException {
    return map.resolve(RdioClientContext.get(rdio.getConf()).devices());
  }

  /** Most extents that one block of the file has. */
  public static int mostExtents(FileSystem rdio, Path file) throws IOException, FallbackException {
    int most = 0;
    for (int i = 0; i < blocks(rdio, file).size(); i++) {
      most = Math.max(most, of(rdio, file, i).blockExtents().count());
    }
    return most;
  }

  /** Pins that the only DataNode holds, as it says itself. */
  public static long pins(Cluster cluster) throws IOException {
    return pins(cluster, 0);
  }

  /** Pins that a DataNode holds, as it says itself. */
  public static long pins(Cluster cluster, int dataNode) throws IOException {
    Object gauge = cluster.dataNode(dataNode).jmx("Hadoop:name=RdioDataNode-*,*").get("Pins");
    return ((Number) gauge).longValue();
  }

  /** Links that hold blocks on a volume, of this DataNode's incarnation or an earlier one. */
  public static List<java.nio.file.Path> pinFiles(java.nio.file.Path mountPoint)
      throws IOException {
    return files(mountPoint.resolve("data/rdio/pins"));
  }

  /** Finalized block files on a volume; those of groups have numbers below zero. */
  public static List<java.nio.file.Path> blockFiles(java.nio.file.Path mountPoint)
      throws IOException {
    return find(mountPoint.resolve("data/current"), ".*/finalized/.*/blk_-?[0-9]+");
  }

  /** All files below a folder. */
  public static List<java.nio.file.Path> files(java.nio.file.Path folder) throws IOException {
    return find(folder, ".*");
  }

  /** Also while the DataNode deletes some of them. */
  private static List<java.nio.file.Path> find(java.nio.file.Path folder, String pattern)
      throws IOException {
    List<java.nio.file.Path> found = new ArrayList<>();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(
              java.nio.file.Path file, BasicFileAttributes attributes) {
            if (file.toString().matches(pattern)) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(java.nio.file.Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
