// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one client address has of a volume's places. Its {@link VolumeAccount} alone changes it. */
final class VolumeShare {
  final String address;
  final LinkedDeque<Pin> ordinary = new LinkedDeque<>(Pin.IN_TURN);
  final LinkedDeque<Pin> speculative = new LinkedDeque<>(Pin.IN_TURN);
  final Map<BlockKey, Promise> promises = new LinkedHashMap<>();

  /** Places that it took, for pins that are being made. */
  int making;

  /** Pins charged to it, recalled ones included. */
  int charged;

  /** Bytes of those of them that HDFS let go. */
  long deletedBytes;

  /** A place that an address may take until a moment. */
  static final class Promise {
    final VolumeShare share;
    final BlockKey block;
    final long dueNanos;
    boolean kept;

    Promise(VolumeShare share, BlockKey block, long dueNanos) {
      this.share = share;
      this.block = block;
      this.dueNanos = dueNanos;
    }
  }

  VolumeShare(String address) {
    this.address = address;
  }

  /** Pins charged to it that are not recalled. */
  int live() {
    return ordinary.size() + speculative.size();
  }

  /** With what it is about to have. */
  int claimed() {
    return live() + making + promises.size();
  }

  /** What it was promised for this block or, since any place will do, for another one. */
  @Nullable Promise promiseFor(Demand demand) {
    Promise own = promises.get(demand.block());
    boolean anyWillDo = own == null && !demand.speculative() && !promises.isEmpty();
    return anyWillDo ? promises.values().iterator().next() : own;
  }

  LinkedDeque<Pin> turnsOf(Pin pin) {
    return pin.speculative ? speculative : ordinary;
  }

  boolean isEmpty() {
    return charged == 0 && making == 0 && promises.isEmpty();
  }
}
