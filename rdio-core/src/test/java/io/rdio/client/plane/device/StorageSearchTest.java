// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a search remembers, and until when. */
final class StorageSearchTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private final ManualClock clock = new ManualClock();
  private final DeviceCounters counters = new DeviceCounters();

  @Test
  void aPlaneThatIsClosedKeepsNoDeviceOpen() throws Exception {
    Ext4Image.requireTools();
    PlaneImage image = PlaneImage.fit(directory);
    StorageSearch search =
        new StorageSearch(
            () -> List.of(image.candidate()), PlaneImage.owners(), Runnable::run, clock, counters);
    DevicePlane plane = new DevicePlane(search, false, Runnable::run, clock, counters);
    BlockAsk ask = new BlockAsk(new TokenedBlock(PlaneImage.BLOCK), PlaneImage.STORAGE, false);
    DataNodeId holder = new DataNodeId("dn", 9866, 9864);
    assertThat(plane.maps(holder, List.of(ask)).get(0).refusal()).isNull();
    assertThat(search.all()).hasSize(1);

    plane.close();
    // It does not search again so soon: what it answers is what it has kept.
    assertThat(search.all()).isEmpty();
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> search.find(PlaneImage.STORAGE));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_NOT_FOUND);

    long opened = counters.volumesOpened.sum();
    clock.advance(Duration.ofSeconds(StorageSearch.RETRY_SECONDS + 1));
    assertThat(search.find(PlaneImage.STORAGE).storageId()).isEqualTo(PlaneImage.STORAGE);
    assertThat(counters.volumesOpened.sum()).as("it is opened anew").isGreaterThan(opened);
  }
}
