// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;
import io.rdio.datanode.volume.Replica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a grant request is answered, and what it leaves behind. */
final class GrantServiceTest {
  @TempDir Path root;
  private GrantFixture fixture;

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
  }

  @AfterEach
  void resetInjector() {
    GrantFaultInjector.set(new GrantFaultInjector());
  }

  @Test
  void grantTellsTheMapAndPinsBothFiles() throws IOException {
    BlockKey block = fixture.hdfs.write(7, 5000);

    GrantResult.Granted granted = (GrantResult.Granted) fixture.grant("a", block);

    assertThat(granted.map())
        .isEqualTo(
            new PinnedMap(
                block,
                FakeHdfs.STORAGE_ID,
                GrantFixture.DEVICE,
                new Witness(4096, granted.map().witness().nonce(), 1),
                5000,
                7 + 10 * 4,
                ExtentList.of(new long[] {4096}, new long[] {8192}),
                ExtentList.of(new long[] {4096}, new long[] {4096}),
                new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7)));
    assertThat(granted.leaseId()).isNotZero();
    Replica replica = fixture.hdfs.replica(block);
    List<Path> links = fixture.links();
    assertThat(links).hasSize(2).allMatch(link -> link.getParent().endsWith("rdio/pins/90000"));
    assertThat(Files.isSameFile(links.get(0), replica.blockFile())).isTrue();
    assertThat(Files.isSameFile(links.get(1), replica.metaFile())).isTrue();
    assertThat(links.get(0).getFileName().toString())
        .contains("BP-1.7.1001")
        .doesNotMatch("blk_.*");
    assertThat(Files.getPosixFilePermissions(root.resolve("rdio"))).hasSize(3);
  }

  @Test
  void secondClientSharesThePin() {
    BlockKey block = fixture.hdfs.write(7, 5000);

    long first = fixture.lease("a", block);
    long second = fixture.lease("b", block);

    assertThat(second).isNotEqualTo(first);
    assertThat(fixture.links()).hasSize(2);
    assertThat(fixture.service.counters().pinsMade()).isEqualTo(1);
    assertThat(fixture.service.counters().grants()).isEqualTo(2);
    assertThat(fixture.service.leaseCount()).isEqualTo(2);
  }

  @Test
  void eachBlockOfARequestIsAnsweredByItself() {
    BlockKey there = fixture.hdfs.write(1, 100);
    BlockKey missing = FakeHdfs.block(2);
    BlockAsk forged = new BlockAsk(new TokenedBlock(there, new byte[] {1}));

    List<GrantResult> results =
        fixture.service.grant(
            GrantFixture.holder("a"),
            List.of(FakeHdfs.ask(missing), FakeHdfs.ask(there), forged, FakeHdfs.ask(there)),
            () -> false);

    assertThat(results.get(0))
        .isEqualTo(new GrantResult.Refused(FallbackReason.REPLICA_NOT_FOUND, missing.toString()));
    assertThat(results.get(1)).isInstanceOf(GrantResult.Granted.class);
    assertThat(((GrantResult.Refused) results.get(2)).reason())
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(results.get(3)).isInstanceOf(GrantResult.Granted.class);
    assertThat(fixture.links()).hasSize(2);
    assertThat(fixture.service.counters().refusals(FallbackReason.TOKEN_REFUSED)).isEqualTo(1);
  }

  @Test
  void emptyBlockIsGrantedWithoutExtents() {
    BlockKey block = fixture.hdfs.write(1, 0);

    GrantResult.Granted granted = (GrantResult.Granted) fixture.grant("a", block);

    assertThat(granted.map().blockExtents()).isEqualTo(ExtentList.EMPTY);
    assertThat(granted.map().metaLength()).isEqualTo(7);
  }

  @Test
  void replicaThatChangesWhileItIsPinnedIsRefusedAndUnlinked() {
    BlockKey block = fixture.hdfs.write(1, 100);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void afterSync(BlockKey pinned) {
            assertThat(fixture.links()).hasSize(2);
            fixture.hdfs.replaceFile(pinned);
          }
        });

    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.service.volumes().get(0).pins()).isZero();
  }

  @Test
  void replicaDeletedBeforeTheLinkIsRefused() {
    BlockKey block = fixture.hdfs.write(1, 100);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeLink(BlockKey pinned) {
            fixture.hdfs.delete(pinned);
          }
        });

    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void fileThatCannotBeMappedIsRefusedAndUnlinked() {
    BlockKey block = fixture.hdfs.write(1, 100);
    fixture.mapper =
        (file, length) -> {
          throw new FallbackException(FallbackReason.EXTENTS_UNMAPPABLE, "DELALLOC");
        };

    assertThat(fixture.grant("a", block))
        .isEqualTo(new GrantResult.Refused(FallbackReason.EXTENTS_UNMAPPABLE, "DELALLOC"));
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void extentsBeyondTheDeviceAreRefused() {
    BlockKey block = fixture.hdfs.write(1, 100);
    long end = GrantFixture.DEVICE.sizeBytes();
    fixture.mapper = (file, length) -> ExtentList.of(new long[] {end}, new long[] {4096});

    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.EXTENTS_UNMAPPABLE);
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void failureInsideIsAnsweredAndUnlinked() {
    BlockKey block = fixture.hdfs.write(1, 100);
    fixture.mapper =
        (file, length) -> {
          throw new IllegalStateException("test");
        };

    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.INTERNAL_ERROR);
    assertThat(fixture.links()).isEmpty();
    fixture.mapper = (file, length) -> ExtentList.of(new long[] {0}, new long[] {4096});
    assertThat(fixture.lease("a", block)).isNotZero();
  }

  @Test
  void metaFileThatIsTooShortOrUnknownIsRefused() throws IOException {
    BlockKey block = fixture.hdfs.write(1, 100);
    Path meta = fixture.hdfs.replica(block).metaFile();

    Files.write(meta, FakeHdfs.header(1, 2, 50, 1));
    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.REPLICA_CHANGED);
    Files.write(meta, FakeHdfs.header(2, 2, 512, 1));
    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.CHECKSUM_UNSUPPORTED);
    Files.write(meta, FakeHdfs.header(1, 2, 0, 1));
    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.CHECKSUM_UNSUPPORTED);
    Files.write(meta, FakeHdfs.header(1, 9, 512, 1));
    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.CHECKSUM_UNSUPPORTED);
    Files.write(meta, new byte[3]);
    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.PIN_FAILED);
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void blockOfAnotherLengthThanHdfsBelievesIsRefused() throws IOException {
    BlockKey block = fixture.hdfs.write(1, 100);
    Files.write(fixture.hdfs.replica(block).blockFile(), new byte[99]);

    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.REPLICA_CHANGED);
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void nobodyPinsForAClientThatWentAway() {
    BlockKey block = fixture.hdfs.write(1, 100);

    List<GrantResult> results =
        fixture.service.grant(GrantFixture.holder("a"), List.of(FakeHdfs.ask(block)), () -> true);

    assertThat(((GrantResult.Refused) results.get(0)).reason())
        .isEqualTo(FallbackReason.PIN_FAILED);
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void requestsForOneBlockAtATimePinItOnce() throws Exception {
    BlockKey block = fixture.hdfs.write(1, 100);
    int clients = 8;
    CountDownLatch asked = new CountDownLatch(clients);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void afterLink(BlockKey pinned) {
            try {
              asked.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        });
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Future<GrantResult>> results = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        String client = "client" + i;
        results.add(
            threads.submit(
                () -> {
                  asked.countDown();
                  return fixture.grant(client, block);
                }));
      }
      for (Future<GrantResult> result : results) {
        assertThat(result.get()).isInstanceOf(GrantResult.Granted.class);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(fixture.service.counters().pinsMade()).isEqualTo(1);
    assertThat(fixture.service.leaseCount()).isEqualTo(clients);
    assertThat(fixture.links()).hasSize(2);
  }

  @Test
  void volumeWithoutADeviceIsRefusedWithItsReason() {
    fixture.identifier =
        volume -> {
          throw new FallbackException(FallbackReason.DEVICE_UNSUPPORTED, "dm-0");
        };
    fixture.start(GrantFixture.CONFIG);
    BlockKey block = fixture.hdfs.write(1, 100);

    assertThat(fixture.grant("a", block))
        .isEqualTo(new GrantResult.Refused(FallbackReason.DEVICE_UNSUPPORTED, "dm-0"));
    assertThat(fixture.service.volumes())
        .singleElement()
        .satisfies(
            volume -> {
              assertThat(volume.device()).isNull();
              assertThat(volume.refusal().reason()).isEqualTo(FallbackReason.DEVICE_UNSUPPORTED);
            });
  }

  @Test
  void eachBatchOfPinsHasALaterWitness() throws Exception {
    BlockKey first = fixture.hdfs.write(901, 5000);
    BlockKey second = fixture.hdfs.write(902, 5000);
    Witness before = witness(fixture.grant("client", first));
    Witness after = witness(fixture.grant("client", second));
    Path file = fixture.root.resolve("rdio").resolve("witness");

    assertThat(after.count()).isEqualTo(before.count() + 1);
    assertThat(witness(fixture.grant("other", first))).as("of a shared pin").isEqualTo(before);
    assertThat(Files.readAllBytes(file)).hasSize(4096).startsWith(after.encode().array());
    fixture.start(GrantFixture.CONFIG);
    assertThat(witness(fixture.grant("client", first)).nonce()).isNotEqualTo(before.nonce());
  }

  private static Witness witness(GrantResult result) {
    return ((GrantResult.Granted) result).map().witness();
  }
}
