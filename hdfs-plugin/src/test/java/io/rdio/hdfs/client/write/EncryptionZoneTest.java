// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.locate.SmallCluster;
import io.rdio.hdfs.client.way.FallbackLog;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.crypto.key.KeyProviderFactory;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.log4j.Appender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of an encryption zone, at a real NameNode with a key provider: the client of stock HDFS
 * encrypts them, so that they are its own to write, and the log says so.
 */
@Timeout(180)
final class EncryptionZoneTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String KEY = "key-of-the-zone";
  private static final Path ZONE = new Path("/zone");

  /** More than a block: RDIO would have begun one. */
  private static final byte[] BYTES = new byte[SmallCluster.BLOCK_BYTES + 777];

  @TempDir static java.nio.file.Path folder;
  private static SmallCluster cluster;
  private static DistributedFileSystem fs;

  private final WriteCounters counters = new WriteCounters();
  private final ClusterBlocks remote = new ClusterBlocks(cluster, 1);

  @BeforeAll
  static void start() throws Exception {
    new Random(1).nextBytes(BYTES);
    String keys = "jceks://file" + folder.resolve("keys.jceks");
    makeKey(keys);
    cluster = new SmallCluster(folder, 1, Map.of(KeyProviderFactory.KEY_PROVIDER_PATH, keys));
    await().atMost(PATIENCE).until(cluster::isUp);
    fs = SmallCluster.open(cluster.conf());
    fs.mkdirs(ZONE);
    fs.createEncryptionZone(ZONE, KEY);
  }

  private static void makeKey(String keys) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(KeyProviderFactory.KEY_PROVIDER_PATH, keys);
    KeyProvider provider = KeyProviderFactory.getProviders(conf).get(0);
    provider.createKey(KEY, KeyProvider.options(conf));
    provider.flush();
  }

  @AfterAll
  static void stop() throws IOException {
    if (fs != null) {
      fs.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private FSDataOutputStream create(Path path) throws IOException {
    Configuration conf = cluster.conf();
    conf.set("dfs.client.rdio.write", "auto");
    conf.set("dfs.client.rdio.write.small", Integer.toString(64 << 10));
    NewFiles newFiles = Objects.requireNonNull(NewFiles.of(conf, remote, counters));
    return newFiles.created(path.toString(), EnumSet.of(CreateFlag.CREATE), fs.create(path), null);
  }

  @Test
  void fileOfAZoneIsStocksAndTheReasonIsSaid() throws Exception {
    Path path = new Path(ZONE, "secret");
    StringWriter said = new StringWriter();
    Appender appender = new WriterAppender(new SimpleLayout(), said);
    Logger logger = Logger.getLogger(FallbackLog.class);
    Level before = logger.getLevel();
    logger.setLevel(Level.DEBUG); // such a reason is routine
    logger.addAppender(appender);
    try (FSDataOutputStream out = create(path)) {
      assertThat(out.getWrappedStream()).isInstanceOf(CryptoOutputStream.class);
      out.write(BYTES);
    } finally {
      logger.removeAppender(appender);
      logger.setLevel(before);
    }

    assertThat(said.toString())
        .contains(path.toString())
        .contains(FallbackReason.WRITE_UNSUPPORTED.name())
        .contains("encryption zone");
    assertThat(counters.fallbacks(FallbackReason.WRITE_UNSUPPORTED)).isEqualTo(1);
    assertThat(counters.blocks.sum()).isZero();
    assertThat(remote.asked).isEmpty();
    assertThat(isContent(path)).isTrue();
    assertThat(isContent(new Path("/.reserved/raw" + path))).as("in the clear").isFalse();
  }

  /** Or the other test would show nothing of zones. */
  @Test
  void fileBesideTheZoneIsWrittenPastIt() throws Exception {
    Path path = new Path("/beside");
    try (FSDataOutputStream out = create(path)) {
      out.write(BYTES);
    }
    assertThat(counters.bytes.sum()).isEqualTo(BYTES.length);
    assertThat(counters.fallbacks(FallbackReason.WRITE_UNSUPPORTED)).isZero();
    assertThat(isContent(path)).isTrue();
  }

  private static boolean isContent(Path path) throws IOException {
    try (FSDataInputStream in = fs.open(path)) {
      return Arrays.equals(in.readAllBytes(), BYTES);
    }
  }
}
