// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is measured is what the plane does. */
final class MeasuredStorageTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private final DeviceCounters counters = new DeviceCounters();
  private final List<ResolveStep> steps = new ArrayList<>();
  private PlaneImage image;

  @BeforeEach
  void make() throws Exception {
    Ext4Image.requireTools();
    image = PlaneImage.fit(directory);
    image.show();
  }

  private MeasuredStorage find() throws FallbackException {
    return MeasuredStorage.find(image.device(), PlaneImage.owners(), new ManualClock(), counters);
  }

  @Test
  void tellsOfEachStepWhenItHasEnded() throws Exception {
    assertThat(find().resolve(PlaneImage.BLOCK, steps::add)).isEqualTo(PlaneImage.BLOCK_BYTES);
    assertThat(steps)
        .containsExactly(
            ResolveStep.STORAGE,
            ResolveStep.LOOK,
            ResolveStep.PATH,
            ResolveStep.INODES,
            ResolveStep.EXTENTS,
            ResolveStep.INODES,
            ResolveStep.EXTENTS,
            ResolveStep.HEADER,
            ResolveStep.LOOK_BEHIND);
  }

  @Test
  void readsMetadataAgainOnlyWhenItWasForgotten() throws Exception {
    MeasuredStorage storage = find();
    storage.resolve(PlaneImage.BLOCK, steps::add);
    long reads = counters.blockReads.sum();
    storage.resolve(PlaneImage.BLOCK, steps::add);
    assertThat(counters.blockReads.sum()).isEqualTo(reads);
    storage.forget();
    storage.resolve(PlaneImage.BLOCK, steps::add);
    assertThat(counters.blockReads.sum()).isGreaterThan(reads);
  }

  @Test
  void aLookFindsWhatWasCommittedSince() throws Exception {
    MeasuredStorage storage = find();
    storage.resolve(PlaneImage.BLOCK, steps::add);
    image.commit("rm " + PlaneImage.BLOCK_FILE);
    image.show();
    long looks = counters.looks.sum();
    storage.look();
    assertThat(counters.looks.sum()).isEqualTo(looks + 1);
    assertThatThrownBy(() -> storage.resolve(PlaneImage.BLOCK, steps::add))
        .hasMessageContaining("REPLICA_NOT_FOUND");
  }

  @Test
  void aRefusalIsThatOfThePlane() throws Exception {
    MeasuredStorage storage = find();
    BlockKey absent = new BlockKey("BP-1", 2, 1001);
    assertThatThrownBy(() -> storage.resolve(absent, steps::add))
        .hasMessageContaining("REPLICA_NOT_FOUND");
  }

  @Test
  void aDeviceWithoutStorageIsRefused() throws Exception {
    image.checkpoint();
    image.change("rm /data/current/VERSION");
    image.show();
    assertThatThrownBy(this::find).hasMessageContaining("DEVICE_NOT_FOUND");
  }
}
