// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.DeviceLayout;
import io.rdio.bench.client.DeviceLayout.Extent;
import io.rdio.bench.client.DeviceLayout.Extents;
import io.rdio.bench.client.LocalLayout;
import io.rdio.core.FallbackException;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.Fiemap;
import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.HdfsBlockLocation;
import org.jspecify.annotations.Nullable;

/** Finds where HDFS's files lie on the volume of a cluster's only DataNode. */
final class BlockFiles {
  private BlockFiles() {}

  /** The files' extents now; they stay so until HDFS writes to these files. */
  static DeviceLayout layout(Cluster cluster, List<String> files) throws IOException {
    Map<String, Path> blockFiles = blockFiles(cluster.volume(0).mountPoint());
    Map<String, Extents> layout = new LinkedHashMap<>();
    try (FileSystem fs = cluster.fileSystem(false)) {
      for (String file : files) {
        layout.put(file, extents(fs, file, blockFiles));
      }
    }
    return new DeviceLayout(cluster.volume(0).device(), layout);
  }

  /**
   * The files' block files now; they stay so until HDFS writes to these files.
   *
   * @param folder on the same volume, for files that are written
   */
  static LocalLayout local(Cluster cluster, List<String> files, Path folder) throws IOException {
    Map<String, Path> blockFiles = blockFiles(cluster.volume(0).mountPoint());
    Map<String, List<String>> layout = new LinkedHashMap<>();
    try (FileSystem fs = cluster.fileSystem(false)) {
      for (String file : files) {
        List<String> paths = new ArrayList<>();
        for (BlockLocation location : locations(fs, file)) {
          paths.add(onVolume(file, blockFiles.get(blockName(location))).toString());
        }
        layout.put(file, paths);
      }
    }
    return new LocalLayout(folder.toString(), layout);
  }

  private static Map<String, Path> blockFiles(Path mountPoint) throws IOException {
    try (Stream<Path> tree = Files.walk(mountPoint)) {
      return tree.filter(path -> name(path).matches("blk_\\d+"))
          .filter(path -> path.toString().contains("/finalized/"))
          .collect(Collectors.toMap(path -> name(path), path -> path));
    }
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  private static Extents extents(FileSystem fs, String file, Map<String, Path> blockFiles)
      throws IOException {
    List<Extent> list = new ArrayList<>();
    long length = 0;
    for (BlockLocation location : locations(fs, file)) {
      Path blockFile = onVolume(file, blockFiles.get(blockName(location)));
      ExtentList block = extents(blockFile, location.getLength());
      for (int i = 0; i < block.count(); i++) {
        list.add(new Extent(block.physical(i), length + block.start(i), length + block.end(i)));
      }
      length += location.getLength();
    }
    return new Extents(length, list);
  }

  private static BlockLocation[] locations(FileSystem fs, String file) throws IOException {
    return fs.getFileBlockLocations(new org.apache.hadoop.fs.Path(file), 0, Long.MAX_VALUE);
  }

  private static String blockName(BlockLocation location) {
    return ((HdfsBlockLocation) location).getLocatedBlock().getBlock().getBlockName();
  }

  private static Path onVolume(String file, @Nullable Path blockFile) throws IOException {
    if (blockFile == null) {
      throw new IOException("a block of " + file + " is not on the DataNode's volume");
    }
    return blockFile;
  }

  private static ExtentList extents(Path blockFile, long length) throws IOException {
    try {
      return Fiemap.extents(blockFile, length);
    } catch (FallbackException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
