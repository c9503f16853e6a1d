// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.crypto.key.KeyProviderFactory;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.CreateEncryptionZoneFlag;
import org.apache.hadoop.hdfs.client.HdfsAdmin;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Other ways to a stream, and files that are not what their names say: all of it by RDIO. */
@Tag("loop")
@ParameterizedClass(name = "{0}")
@EnumSource(ReadMode.class)
class OtherReadersIT {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 2 * BLOCK + 12_345;
  private static final String KEY = "key-of-the-zone";

  @TempDir static java.nio.file.Path folder;
  private static Cluster cluster;
  private static DistributedFileSystem stock;
  private static RdioClient client;
  private static FileSystem rdio;
  private Counts counts;

  @Parameter(0)
  ReadMode mode;

  @BeforeAll
  static void startCluster() throws Exception {
    Requirements.requireLoop("ext4");
    String keys = "jceks://file" + folder.resolve("keys.jceks");
    makeKey(keys);
    cluster =
        TestClusters.builder()
            .volumeBytes(400L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.namenode.fs-limits.min-block-size", "0")
            .set("hadoop.security.key.provider.path", keys)
            .start();
    TestClusters.warmUp(cluster);
    stock = (DistributedFileSystem) cluster.fileSystem(false);
  }

  private static void makeKey(String keys) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(KeyProviderFactory.KEY_PROVIDER_PATH, keys);
    KeyProvider provider = KeyProviderFactory.getProviders(conf).get(0);
    provider.createKey(KEY, KeyProvider.options(conf));
    provider.flush();
  }

  @AfterAll
  static void stopCluster() throws IOException {
    if (stock != null) {
      stock.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeParameterizedClassInvocation
  static void start(ReadMode mode) throws IOException {
    client = RdioClient.of(cluster, mode);
    rdio = client.fs();
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    if (client != null) {
      client.close();
    }
  }

  @BeforeEach
  void count() {
    counts = Counts.of(mode);
  }

  private SeededFile write(String name) throws IOException {
    return SeededFile.write(stock, "/" + mode + "/" + name, LENGTH, name.hashCode());
  }

  private void assertByRdio(SeededFile file, FSDataInputStream opened) throws IOException {
    long before = counts.rdioBytes();
    try (FSDataInputStream in = opened) {
      byte[] got = in.readAllBytes();
      assertThat(got).hasSameSizeAs(file.bytes());
      file.check(0, got);
    }
    assertThat(counts.rdioBytes() - before).isEqualTo(file.bytes().length);
    counts.assertNoFallback();
  }

  @Test
  void fileContext() throws IOException {
    SeededFile file = write("file-context");
    assertByRdio(file, FileContext.getFileContext(rdio.getConf()).open(file.path()));
  }

  @Test
  void viewOfSeveralFileSystems() throws IOException {
    SeededFile file = write("view");
    Configuration conf = new Configuration(rdio.getConf());
    conf.set("fs.viewfs.mounttable.all.link./mounted", rdio.getUri() + "/" + mode);
    try (FileSystem view = FileSystem.newInstance(URI.create("viewfs://all/"), conf)) {
      assertByRdio(file, view.open(new Path("/mounted/view")));
    }
  }

  @Test
  void unbufferedStreamReadsOn() throws IOException {
    SeededFile file = write("unbuffered");
    try (FSDataInputStream in = rdio.open(file.path())) {
      for (int at = 0; at < LENGTH; at += 500_000) {
        file.check(at, in.readNBytes(Math.min(500_000, LENGTH - at)));
        in.unbuffer();
        byte[] again = new byte[1000];
        in.readFully(at / 2, again);
        file.check(at / 2, again);
        in.unbuffer();
      }
    }
    counts.assertNoFallback();
  }

  @Test
  void hedgedReads() throws Exception {
    SeededFile file = write("hedged");
    Configuration conf = new Configuration(rdio.getConf());
    conf.set("dfs.client.hedged.read.threadpool.size", "4");
    conf.set("dfs.client.hedged.read.threshold.millis", "1");
    long before = counts.rdioBytes();
    try (FileSystem hedging = FileSystem.newInstance(conf);
        FSDataInputStream in = hedging.open(file.path())) {
      readAtRandom(in, file, 1);
    }
    assertThat(counts.rdioBytes()).isGreaterThan(before);
    // Of two reads of the same bytes the slower one is interrupted.
    assertThat(counts.fallbacks().keySet()).isSubsetOf(FallbackReason.INTERRUPTED);
  }

  /** As HBase reads a store file: many threads, one stream, checksums of its own. */
  @Test
  void positionalReadsOfManyThreadsWithoutVerification() throws Exception {
    SeededFile file = write("store-file");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (FileSystem careless = FileSystem.newInstance(rdio.getConf())) {
      careless.setVerifyChecksum(false);
      try (FSDataInputStream in = careless.open(file.path())) {
        List<Callable<Void>> readers = new ArrayList<>();
        for (int seed = 0; seed < 4; seed++) {
          int own = seed;
          readers.add(
              () -> {
                readAtRandom(in, file, own);
                return null;
              });
        }
        for (Future<Void> each : threads.invokeAll(readers)) {
          each.get();
        }
      }
    } finally {
      threads.shutdownNow();
    }
    counts.assertNoFallback();
  }

  private static void readAtRandom(FSDataInputStream in, SeededFile file, int seed)
      throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 50; i++) {
      byte[] got = new byte[1 + random.nextInt(65_536)];
      int at = random.nextInt(LENGTH - got.length);
      in.readFully(at, got);
      file.check(at, got);
    }
  }

  @Test
  void snapshotIsTheFileAsItWas() throws IOException {
    SeededFile file = write("photographed/file");
    SeededFile deleted = write("photographed/deleted");
    Path parent = file.path().getParent();
    stock.allowSnapshot(parent);
    stock.createSnapshot(parent, "then");
    try (FSDataOutputStream out = stock.append(file.path())) {
      out.write(new byte[1000]);
    }
    stock.delete(deleted.path(), false);
    try {
      assertByRdio(file, rdio.open(new Path(parent, ".snapshot/then/file")));
      assertByRdio(deleted, rdio.open(new Path(parent, ".snapshot/then/deleted")));
    } finally {
      stock.deleteSnapshot(parent, "then");
    }
  }

  @Test
  void concatenatedFileIsAllOfThem() throws IOException {
    SeededFile target = write("concat-target");
    SeededFile more = write("concat-more");
    assertByRdio(more, rdio.open(more.path())); // its maps are known by its old name
    stock.concat(target.path(), new Path[] {more.path()});
    byte[] all = Arrays.copyOf(target.bytes(), 2 * LENGTH);
    System.arraycopy(more.bytes(), 0, all, LENGTH, LENGTH);
    assertByRdio(new SeededFile(target.path(), all), rdio.open(target.path()));
  }

  @Test
  void fileByItsNumber() throws IOException {
    SeededFile file = write("numbered");
    long number = ((HdfsFileStatus) stock.getFileStatus(file.path())).getFileId();
    assertByRdio(file, rdio.open(new Path("/.reserved/.inodes/" + number)));
  }

  @Test
  void encryptedFileAndItsRawBytes() throws Exception {
    Path zone = new Path("/zone-" + mode);
    stock.mkdirs(zone);
    HdfsAdmin admin = new HdfsAdmin(stock.getUri(), stock.getConf());
    admin.createEncryptionZone(zone, KEY, EnumSet.of(CreateEncryptionZoneFlag.NO_TRASH));
    SeededFile file = SeededFile.write(stock, zone + "/secret", LENGTH, 5);
    assertByRdio(file, rdio.open(file.path()));
    Path raw = new Path("/.reserved/raw" + file.path());
    byte[] encrypted;
    try (FSDataInputStream in = stock.open(raw)) {
      encrypted = in.readAllBytes();
    }
    assertThat(Arrays.equals(encrypted, file.bytes())).isFalse();
    assertByRdio(new SeededFile(raw, encrypted), rdio.open(raw));
  }
}
