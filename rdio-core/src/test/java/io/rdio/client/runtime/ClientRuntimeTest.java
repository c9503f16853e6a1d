// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.filemap.BlockLocation;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.client.filemap.FileMapSettings;
import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.filemap.ReplicaLocation;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.grant.MetadataClientSettings;
import io.rdio.client.plane.grant.WriteSettings;
import io.rdio.client.read.ExtentReader;
import io.rdio.client.runtime.RuntimeSettings.Plane;
import io.rdio.client.write.BlockWriters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.testing.Requirements;
import io.rdio.core.wire.ChannelFactory;
import io.rdio.core.wire.SlotAsk;
import io.rdio.nativeio.NativeLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client whose only DataNode is nowhere: how its parts are wired, and in which order they end.
 */
class ClientRuntimeTest {
  private static final BlockRequest REQUEST =
      new BlockRequest(new TokenedBlock(new BlockKey("BP-1", 5, 6)), "/file");
  private static final RuntimeSettings.DataCache DATA_CACHE =
      new RuntimeSettings.DataCache(8 << 20, 64 << 10, null);

  private final ClientCounters counters = new ClientCounters();
  private final Channels channels = new Channels();
  private final List<Runnable> inBackground = new ArrayList<>();

  @Test
  void readersAreRefusedByWhatTheHostSupplies() {
    try (ClientRuntime runtime = runtime(null)) {
      runtime.start();
      FallbackException refusal =
          catchThrowableOfType(
              FallbackException.class,
              () -> ExtentReader.open(runtime.readContext(), REQUEST, true, 100));
      assertThat(refusal.reason()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
      assertThat(channels.opened).containsOnly("nowhere:1");
      assertThat(counters.mapMisses.sum()).isEqualTo(1);
    }
  }

  @Test
  void loadsThatNobodyWaitsForRunWhereTheHostWantsThem() {
    try (ClientRuntime runtime = runtime(null)) {
      FileMapSource.Load load = runtime.readContext().maps().begin(REQUEST);
      assertThat(load.isDone()).isFalse();
      assertThat(channels.opened).isEmpty();
      inBackground.forEach(Runnable::run);
      assertThat(load.isDone()).isTrue();
      assertThat(channels.opened).containsOnly("nowhere:1");
    }
  }

  @Test
  void hostThatIsEndingRejectsLoadsAndReadersWait() {
    ClientRuntime runtime =
        new ClientRuntime(
            settings(null),
            new RuntimePorts(
                new Nowhere(),
                dataNode -> "nowhere:1",
                channels,
                load -> {
                  throw new RejectedExecutionException();
                },
                counters));
    try (runtime) {
      assertThat(runtime.readContext().maps().begin(REQUEST).isDone()).isTrue();
    }
  }

  @Test
  void blockDataCacheIsThereOnlyIfItIsSet() {
    try (ClientRuntime without = runtime(null);
        ClientRuntime with = runtime(DATA_CACHE)) {
      assertThat(without.readContext().dataCache()).isNull();
      BlockDataCache cache = with.readContext().dataCache();
      assertThat(cache).isNotNull();
      assertThat(cache.ceil(1)).isEqualTo(DATA_CACHE.chunkBytes());
    }
  }

  @Test
  void flashTierThatCannotBeIsGoneWithout(@TempDir Path folder) throws Exception {
    Path precious = folder.resolve("precious");
    Files.writeString(precious, "of somebody's");
    RuntimeSettings.Flash flash = new RuntimeSettings.Flash(precious, 32 << 20);
    try (ClientRuntime runtime = runtime(new RuntimeSettings.DataCache(8 << 20, 64 << 10, flash))) {
      assertThat(runtime.readContext().dataCache()).isNotNull();
      assertThat(counters.dataCacheFlashFailures.sum()).isEqualTo(1);
    }
    assertThat(precious).hasContent("of somebody's");
  }

  @Test
  void flashTierHasItsFileWhileTheClientIsThere(@TempDir Path folder) throws Exception {
    Requirements.require(NativeLibrary.availability().isAvailable(), "librdio is missing");
    Path file = folder.resolve("flash");
    RuntimeSettings.Flash flash = new RuntimeSettings.Flash(file, 32 << 20);
    RuntimeSettings.DataCache settings = new RuntimeSettings.DataCache(8 << 20, 64 << 10, flash);
    try (ClientRuntime first = runtime(settings)) {
      assertThat(first.readContext().dataCache()).isNotNull();
      assertThat(Files.size(file)).isEqualTo(32 << 20);
      assertThat(counters.dataCacheFlashFailures.sum()).isZero();
      runtime(settings).close();
      assertThat(counters.dataCacheFlashFailures.sum()).as("a second one").isEqualTo(1);
      assertThat(Files.size(file)).isEqualTo(32 << 20);
    }
    assertThat(Files.size(file)).isZero();
  }

  @Test
  void leasesEndBeforeWhatIsReadByThem() {
    ClientRuntime runtime = runtime(DATA_CACHE);
    runtime.start();
    List<Boolean> devicesOpen = new ArrayList<>();
    channels.inClose = () -> devicesOpen.add(!devicesAreClosed(runtime));
    runtime.close();
    assertThat(devicesOpen).containsExactly(true);
    assertThat(devicesAreClosed(runtime)).isTrue();
  }

  @Test
  void secondCloseDoesNothing() {
    ClientRuntime runtime = runtime(DATA_CACHE);
    runtime.start();
    runtime.close();
    runtime.close();
    assertThat(channels.closed).isEqualTo(1);
    assertThat(runtime.readContext().windows().lentBytes()).isZero();
  }

  @Test
  void writersAreThereOnlyIfTheSettingsSaySoAndADataNodeIsAsked() {
    try (ClientRuntime reads = runtime(null);
        ClientRuntime grants = writing(Plane.Source.GRPC);
        ClientRuntime both = writing(Plane.Source.AUTO);
        ClientRuntime devices = writing(Plane.Source.DEVICE)) {
      assertThat(reads.writers()).isNull();
      assertThat(grants.writers()).isNotNull();
      assertThat(both.writers()).isNotNull();
      assertThat(devices.writers()).isNull();
    }
  }

  @Test
  void writersAskTheSameDataNodesAndEndBeforeTheChannels() {
    ClientRuntime runtime = writing(Plane.Source.GRPC);
    runtime.start();
    BlockWriters writers = Objects.requireNonNull(runtime.writers());
    assertThat(refusalOf(writers)).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(channels.opened).containsOnly("nowhere:1");
    List<FallbackReason> atClose = new ArrayList<>();
    channels.inClose = () -> atClose.add(refusalOf(writers));

    runtime.close();
    assertThat(atClose).containsExactly(FallbackReason.AGENT_UNAVAILABLE);
  }

  private static FallbackReason refusalOf(BlockWriters writers) {
    SlotAsk ask =
        new SlotAsk(new BlockKey("BP-1", 5, 6), "", 1 << 20, ChecksumSpec.Type.CRC32C, 512, 0);
    return catchThrowableOfType(
            FallbackException.class,
            () -> writers.open(new DataNodeId("nowhere", 1, 2), new byte[0], ask))
        .reason();
  }

  private ClientRuntime writing(Plane.Source source) {
    RuntimeSettings reads = settings(null);
    RuntimeSettings settings =
        new RuntimeSettings(
            reads.maps(),
            reads.metadata(),
            new Plane(source, Set.of(), false),
            reads.devices(),
            reads.memory(),
            null,
            new WriteSettings(
                Duration.ofSeconds(5), Duration.ofSeconds(5), true, Duration.ofSeconds(5)));
    return new ClientRuntime(
        settings,
        new RuntimePorts(
            new Nowhere(), dataNode -> "nowhere:1", channels, inBackground::add, counters));
  }

  @Test
  void canBeClosedWithoutHavingBeenStarted() {
    runtime(null).close();
    assertThat(channels.closed).isEqualTo(1);
  }

  private static boolean devicesAreClosed(ClientRuntime runtime) {
    DeviceIdentity another = new DeviceIdentity("ext4", UUID.randomUUID(), 512, "", 0, "none");
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class, () -> runtime.readContext().devices().resolve(another));
    return refusal.detail().contains("was closed");
  }

  private ClientRuntime runtime(RuntimeSettings.@Nullable DataCache dataCache) {
    return new ClientRuntime(
        settings(dataCache),
        new RuntimePorts(
            new Nowhere(), dataNode -> "nowhere:1", channels, inBackground::add, counters));
  }

  private static RuntimeSettings settings(RuntimeSettings.@Nullable DataCache dataCache) {
    Duration time = Duration.ofSeconds(5);
    return new RuntimeSettings(
        new FileMapSettings(1 << 20, 0, time, time, time),
        new MetadataClientSettings("test", time, time, Duration.ofSeconds(1)),
        new RuntimeSettings.Plane(RuntimeSettings.Plane.Source.GRPC, Set.of(), false),
        new RuntimeSettings.Devices(Map.of(), time),
        new RuntimeSettings.Memory(1 << 20, 256 << 10, 64 << 10),
        dataCache);
  }

  /** A locator of blocks on one DataNode. */
  private static final class Nowhere implements BlockLocator {
    @Override
    public List<BlockLocation> locate(BlockRequest request) {
      return List.of(
          new BlockLocation(
              request.tokened(),
              List.of(new ReplicaLocation(new DataNodeId("nowhere", 1, 2), "storage"))));
    }

    @Override
    public @Nullable BlockLocation following(BlockKey block) {
      return null;
    }

    @Override
    public void forget(BlockKey block) {}
  }

  private static final class Channels implements ChannelFactory {
    private final List<String> opened = new ArrayList<>();
    private Runnable inClose = () -> {};
    private int closed;

    @Override
    public ManagedChannel open(String endpoint) {
      opened.add(endpoint);
      return InProcessChannelBuilder.forName("no server of this name").directExecutor().build();
    }

    @Override
    public void close() {
      closed++;
      inClose.run();
    }
  }
}
