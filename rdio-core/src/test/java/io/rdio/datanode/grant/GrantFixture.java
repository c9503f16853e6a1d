// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.ExtentMapper;
import io.rdio.datanode.volume.FenceStatus;
import io.rdio.datanode.volume.VolumeIdentifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A grant service on real files, with a clock that stands still until it is told to go. */
public final class GrantFixture {
  public static final long LEASE_MILLIS = 60_000;
  public static final long IO_MILLIS = 30_000;
  public static final GrantConfig CONFIG =
      GrantConfig.builder()
          .leaseMillis(LEASE_MILLIS)
          .maxIoMillis(IO_MILLIS)
          .pinsPerVolume(100)
          .pinnedDeletedBytesPerVolume(1 << 20)
          .leasesPerAddress(100)
          .batchMax(16)
          .build();
  public static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 1L << 40, "", 0, "/dev/test");

  public final Path root;
  public final FakeHdfs hdfs;
  public final AtomicLong nanos = new AtomicLong(-5);
  public ExtentMapper mapper =
      (file, length) -> ExtentList.of(new long[] {4096}, new long[] {(length + 4095) & -4096L});
  public VolumeIdentifier identifier = root -> DEVICE;
  MonotonicClock clock = nanos::get;
  public GrantThreads threads = new SameThread();
  public GrantService service;

  public GrantFixture(Path root) {
    this.root = root;
    this.hdfs = new FakeHdfs(root);
    this.service = start(CONFIG);
  }

  /** Another incarnation, as after a crash: nothing was told to the one before. */
  public GrantService start(GrantConfig config) {
    service =
        new GrantService(
            config,
            hdfs,
            (file, length) -> mapper.extents(file, length),
            new Identifier(),
            () -> clock.nanos(),
            threads);
    service.sweep();
    return service;
  }

  /** Whichever is there when it is asked. */
  private final class Identifier implements VolumeIdentifier {
    @Override
    public DeviceIdentity identify(Path volume) throws FallbackException {
      return identifier.identify(volume);
    }

    @Override
    public void requireFenced(Path volume) throws FallbackException {
      identifier.requireFenced(volume);
    }

    @Override
    public @Nullable FallbackException obstacle(Path volume) {
      return identifier.obstacle(volume);
    }

    @Override
    public @Nullable FenceStatus fence(Path volume) {
      return identifier.fence(volume);
    }
  }

  public void pass(long millis) {
    nanos.addAndGet(millis * 1_000_000);
  }

  /** A client at an address of its own. */
  public static Holder holder(String client) {
    return new Holder(client, "address of " + client);
  }

  public GrantResult grant(String client, BlockKey block) {
    return grant(holder(client), block);
  }

  public GrantResult grant(Holder holder, BlockKey block) {
    return service.grant(holder, List.of(FakeHdfs.ask(block)), () -> false).get(0);
  }

  public long lease(String client, BlockKey block) {
    GrantResult result = grant(client, block);
    assertThat(result).isInstanceOf(GrantResult.Granted.class);
    return ((GrantResult.Granted) result).leaseId();
  }

  public FallbackReason refusal(String client, BlockKey block) {
    GrantResult result = grant(client, block);
    assertThat(result).isInstanceOf(GrantResult.Refused.class);
    return ((GrantResult.Refused) result).reason();
  }

  long renew(String client, long lease) {
    return service.renew(client, service.incarnation(), new long[] {lease})[0];
  }

  public void giveBack(String client, long lease) {
    service.giveBack(client, service.incarnation(), new long[] {lease});
  }

  /** Every link in the side directory. */
  public List<Path> links() {
    Path pins = root.resolve("rdio").resolve("pins");
    try (Stream<Path> all = Files.walk(pins)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Collects what is recalled. */
  public List<Long> recallsOf(String client) {
    List<Long> recalled = new ArrayList<>();
    service.subscribe(
        client,
        ids -> {
          for (long id : ids) {
            recalled.add(id);
          }
        });
    return recalled;
  }
}
