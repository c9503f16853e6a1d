// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;

/**
 * An HDFS and a path in it, as the user named it or by {@code fs.defaultFS}.
 *
 * @param path absolute, with scheme and authority
 */
record Hdfs(DistributedFileSystem fs, Path path) implements AutoCloseable {

  /**
   * Opens it; does not ask the NameNode yet, but where a mount table has to be followed.
   *
   * @throws IOException if the name leads to no HDFS; says what to do
   */
  static Hdfs open(Configuration conf, String name) throws IOException {
    try {
      return open(conf, new Path(name));
    } catch (IllegalArgumentException e) { // not a path, or a nameservice that nothing names
      throw new IOException(
          name
              + " on "
              + FileSystem.getDefaultUri(conf)
              + ": "
              + e.getMessage()
              + "; fix: correct the path, or fs.defaultFS in HADOOP_CONF_DIR",
          e);
    }
  }

  private static Hdfs open(Configuration conf, Path path) throws IOException {
    URI uri = path.toUri().getScheme() == null ? FileSystem.getDefaultUri(conf) : path.toUri();
    FileSystem named = FileSystem.newInstance(uri, conf);
    if (named instanceof DistributedFileSystem hdfs) {
      return new Hdfs(hdfs, hdfs.makeQualified(path));
    }
    try (named) {
      Path target = named.resolvePath(path);
      if (named.getScheme().equals("viewfs") && !"viewfs".equals(target.toUri().getScheme())) {
        return open(conf, target);
      }
    }
    throw new IOException(
        named.getUri()
            + " is no HDFS; fix: set HADOOP_CONF_DIR to the cluster's configuration, or name a path"
            + " that starts with hdfs://");
  }

  /**
   * The DataNodes that are alive, by name.
   *
   * @throws AccessControlException for those who are not HDFS's superuser
   */
  List<DatanodeInfo> liveDataNodes() throws IOException {
    try {
      return sorted(Arrays.asList(fs.getDataNodeStats(DatanodeReportType.LIVE)));
    } catch (RemoteException e) {
      throw e.unwrapRemoteException(AccessControlException.class);
    }
  }

  /** As {@link #liveDataNodes}, for commands that can do nothing without them. */
  List<DatanodeInfo> requireLiveDataNodes() throws IOException {
    try {
      List<DatanodeInfo> live = liveDataNodes();
      if (live.isEmpty()) {
        throw new IOException(fs.getUri() + " has no live DataNode; fix: start one");
      }
      return live;
    } catch (AccessControlException e) {
      throw new IOException(
          fs.getUri()
              + " tells only its superuser which DataNodes there are; fix: run it as that user,"
              + " often 'hdfs' ("
              + Failures.message(e)
              + ")",
          e);
    } catch (ConnectException | SocketTimeoutException e) {
      throw new IOException(
          fs.getUri()
              + ": "
              + Failures.message(e)
              + "; fix: check fs.defaultFS in HADOOP_CONF_DIR, and that the NameNode runs",
          e);
    }
  }

  /** The DataNodes that hold a block of a file, by name. */
  List<DatanodeInfo> dataNodesOf(Path file) throws IOException {
    List<DatanodeInfo> found = new ArrayList<>();
    blocks(file)
        .getLocatedBlocks()
        .forEach(
            block ->
                Arrays.stream(block.getLocations())
                    .filter(dataNode -> !found.contains(dataNode))
                    .forEach(found::add));
    return sorted(found);
  }

  /** All blocks of a file with their locations. */
  LocatedBlocks blocks(Path file) throws IOException {
    LocatedBlocks blocks = fs.getClient().getLocatedBlocks(source(file), 0, Long.MAX_VALUE);
    if (blocks == null) {
      throw new FileNotFoundException(file + " does not exist");
    }
    return blocks;
  }

  /** A file's name as HDFS itself has it: absolute, without scheme and authority. */
  static String source(Path file) {
    return file.toUri().getPath();
  }

  private static List<DatanodeInfo> sorted(List<DatanodeInfo> dataNodes) {
    return dataNodes.stream().sorted(Comparator.comparing(DatanodeInfo::getXferAddr)).toList();
  }

  @Override
  public void close() throws IOException {
    fs.close();
  }
}
