// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.locate.SmallCluster;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSnapshot;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Vectored reads and new files at a real NameNode, by clients for which RDIO does nothing. */
class RdioFileSystemTest {
  private static final int BLOCK = 64 << 10;
  private static final int BLOCKS = 3;

  @TempDir static java.nio.file.Path folder;
  private static SmallCluster cluster;
  private static org.apache.hadoop.fs.Path file;

  @BeforeAll
  static void start() throws Exception {
    cluster = new SmallCluster(folder, 1);
    await().atMost(Duration.ofMinutes(1)).until(cluster::isUp);
    try (DistributedFileSystem fs = SmallCluster.open(cluster.conf())) {
      file = SmallCluster.write(fs, "/vectored", BLOCKS * (long) BLOCK, BLOCK);
    }
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** A client that knows the first block only of what it opens. */
  private static Configuration conf(String key, String value) {
    Configuration conf = cluster.conf();
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(HdfsClientConfigKeys.Read.PREFETCH_SIZE_KEY, "1");
    conf.set(RdioConfigKeys.CLIENT_ENABLED.name(), "true");
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), folder.resolve("no-agent.sock").toString());
    conf.set(key, value);
    return conf;
  }

  private static void readOfFirstBlock(FSDataInputStream in) throws Exception {
    FileRange range = FileRange.createFileRange(100, 1000);
    in.readVectored(List.of(range), ByteBuffer::allocate);
    assertThat(range.getData().get(1, TimeUnit.MINUTES).remaining()).isEqualTo(1000);
  }

  /** How often the NameNode was asked for block locations. */
  private static long calls() {
    return MetricsReader.value("NameNodeActivity", "GetBlockLocations");
  }

  @ParameterizedTest
  @CsvSource({
    "dfs.client.rdio.enabled, false",
    "dfs.encrypt.data.transfer, true",
    "dfs.client.rdio.agent, required"
  })
  void whereNothingIsReadTogetherTheNameNodeIsAskedForNothingMore(String key, String value)
      throws Exception {
    try (FileSystem fs = FileSystem.newInstance(conf(key, value));
        FSDataInputStream in = fs.open(file)) {
      long before = calls();
      readOfFirstBlock(in);
      assertThat(calls()).isEqualTo(before);
    }
  }

  @Test
  void otherwiseTheBlocksOfTheWholeFileAreAskedFor() throws Exception {
    Configuration conf = conf(RdioConfigKeys.CLIENT_DEVICE_AFTER.name(), "0");
    try (FileSystem fs = FileSystem.newInstance(conf);
        FSDataInputStream in = fs.open(file)) {
      long before = calls();
      readOfFirstBlock(in);
      assertThat(calls()).isEqualTo(before + 1);
    }
  }

  @Test
  void ioStatisticsTellWhyRdioDidNotRead() throws Exception {
    Configuration conf = conf("dfs.client.rdio.agent", "required");
    conf.set(
        HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY,
        RdioReplicaAccessorBuilder.class.getName());
    try (FileSystem fs = FileSystem.newInstance(conf)) {
      IOStatisticsSnapshot before = IOStatisticsSupport.snapshotIOStatistics(statisticsOf(fs));
      try (FSDataInputStream in = fs.open(file)) {
        assertThat(in.readAllBytes()).hasSize(BLOCKS * BLOCK);
      }
      Map<String, Long> after = statisticsOf(fs).counters();
      assertThat(after.keySet()).isEqualTo(before.counters().keySet());
      for (String grown : List.of("Fallbacks", "Fallback_AGENT_UNAVAILABLE")) {
        assertThat(after.get(grown)).as(grown).isGreaterThan(before.counters().get(grown));
      }
      assertThat(after.get("RdioBytes")).isEqualTo(before.counters().get("RdioBytes"));
      assertThat(statisticsOf(fs).gauges()).containsKey("LeasesHeld");
    }
  }

  private static long written(FileSystem fs, String reason) {
    return requireNonNull(statisticsOf(fs).counters().get("WriteFallback_" + reason));
  }

  @ParameterizedTest
  @CsvSource({
    "dfs.client.rdio.write, auto, AGENT_UNAVAILABLE",
    "dfs.client.rdio.write, perhaps, CONFIGURATION_INVALID",
    "dfs.client.rdio.write.paths, nowhere, CONFIGURATION_INVALID",
    "dfs.client.rdio.write.paths, /elsewhere, DISABLED",
    "dfs.client.rdio.enabled, false, DISABLED",
    "dfs.client.rdio.agent, off, AGENT_UNAVAILABLE",
    "dfs.encrypt.data.transfer, true, ENCRYPTION_REQUIRED"
  })
  void newFilesAreStocksWhereNobodyWritesThem(String key, String value, String reason)
      throws Exception {
    Configuration conf = conf(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(key, value);
    try (FileSystem fs = FileSystem.newInstance(conf)) {
      long before = written(fs, reason);
      assertStock(fs.create(new org.apache.hadoop.fs.Path("/new")));
      assertThat(written(fs, reason)).isEqualTo(before + 1);
      org.apache.hadoop.fs.Path next = new org.apache.hadoop.fs.Path("/next");
      assertStock(fs.createNonRecursive(next, true, 4096, (short) 1, BLOCK, null));
      assertThat(written(fs, reason)).isEqualTo(before + 2);
    }
  }

  private static void assertStock(FSDataOutputStream out) throws IOException {
    assertThat(out.getWrappedStream().getClass()).isEqualTo(DFSOutputStream.class);
    out.close();
  }

  @Test
  void nothingIsCountedWhereWritesAreOff() throws Exception {
    Configuration conf = conf(RdioConfigKeys.CLIENT_WRITE.name(), "off");
    try (FileSystem fs = FileSystem.newInstance(conf)) {
      Map<String, Long> before = statisticsOf(fs).counters();
      assertStock(fs.create(new org.apache.hadoop.fs.Path("/off")));
      Map<String, Long> after = statisticsOf(fs).counters();
      for (String name : after.keySet()) {
        if (name.startsWith("Writ")) {
          assertThat(after.get(name)).as(name).isEqualTo(before.get(name));
        }
      }
    }
  }

  @Test
  void appendsAndFavoredNodesAreStocks() throws Exception {
    Configuration conf = conf(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    try (DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(conf)) {
      long before = written(fs, "WRITE_UNSUPPORTED");
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/favored");
      InetSocketAddress favored = cluster.dataNode(0).getXferAddress();
      assertStock(
          fs.create(
              path,
              FsPermission.getFileDefault(),
              true,
              4096,
              (short) 1,
              BLOCK,
              null,
              new InetSocketAddress[] {favored}));
      assertThat(written(fs, "WRITE_UNSUPPORTED")).isEqualTo(before + 1);
      assertStock(fs.append(path));
      assertThat(written(fs, "WRITE_UNSUPPORTED")).isEqualTo(before + 2);
    }
  }

  @Test
  void whatBuildersMakeIsStocksAndCounted() throws Exception {
    Configuration conf = conf(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    try (DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(conf)) {
      long before = written(fs, "WRITE_UNSUPPORTED");
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/built");
      assertStock(fs.createFile(path).build());
      assertThat(written(fs, "WRITE_UNSUPPORTED")).as("createFile").isEqualTo(before + 1);
      assertStock(fs.appendFile(path).build());
      assertThat(written(fs, "WRITE_UNSUPPORTED")).as("appendFile").isEqualTo(before + 2);
    }
  }

  @ParameterizedTest
  @CsvSource({"dfs.client.rdio.write.paths, /elsewhere", "dfs.client.rdio.enabled, false"})
  void whereRdioIsOffForThemItIsThatForWhichTheyAreCounted(String key, String value)
      throws Exception {
    Configuration conf = conf(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(key, value);
    try (DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(conf)) {
      long off = written(fs, "DISABLED");
      long unsupported = written(fs, "WRITE_UNSUPPORTED");
      assertStock(fs.createFile(new org.apache.hadoop.fs.Path("/built-off")).build());
      assertThat(written(fs, "DISABLED")).isEqualTo(off + 1);
      assertThat(written(fs, "WRITE_UNSUPPORTED")).isEqualTo(unsupported);
    }
  }

  /** As tools look for them, which ask whatever they are given. */
  private static IOStatistics statisticsOf(Object source) {
    return requireNonNull(IOStatisticsSupport.retrieveIOStatistics(source));
  }

  @Test
  void whereHadoopKnowsNoRangesItIsStockHdfs() throws Exception {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    ClassLoader older = new WithoutRanges(before);
    Thread.currentThread().setContextClassLoader(older);
    try {
      Class<?> confClass = older.loadClass(Configuration.class.getName());
      Class<?> pathClass = older.loadClass(org.apache.hadoop.fs.Path.class.getName());
      Class<?> fsClass = older.loadClass(RdioFileSystem.class.getName());
      URI uri = FileSystem.getDefaultUri(cluster.conf());
      try (Closeable fs = (Closeable) fsClass.getConstructor().newInstance()) {
        fsClass
            .getMethod("initialize", URI.class, confClass)
            .invoke(fs, uri, confClass.getConstructor().newInstance());
        Object path = pathClass.getConstructor(String.class).newInstance(file.toUri().getPath());
        try (InputStream in = (InputStream) fsClass.getMethod("open", pathClass).invoke(fs, path)) {
          assertThat(in.getClass().getName()).isEqualTo(HdfsDataInputStream.class.getName());
          assertThat(in.readAllBytes()).hasSize(BLOCKS * BLOCK);
        }
      }
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  /** Hadoop as it was before it had ranges: 3.3.4, which Spark 3.5 has. */
  private static final class WithoutRanges extends ClassLoader {
    private static final Pattern RANGES =
        Pattern.compile(
            "org\\.apache\\.hadoop\\.fs\\.(FileRange|VectoredReadUtils|impl\\..*FileRange.*)");

    private WithoutRanges(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("org.apache.hadoop.") && !name.startsWith("io.rdio.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : findClass(name);
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      String file = name.replace('.', '/') + ".class";
      try (InputStream in = getResourceAsStream(file)) {
        if (in == null || RANGES.matcher(name).matches()) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
