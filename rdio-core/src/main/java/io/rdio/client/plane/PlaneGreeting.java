// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a DataNode's metadata plane says of itself.
 *
 * @param protocolVersion that it speaks with this client
 * @param incarnation new at each of its starts
 * @param leaseMillis for how long it grants
 * @param writeIoMillis for how long it leaves a slot alone behind its write lease; 0 where it does
 *     not say so, or lends none
 * @param failures inside it since its start that should not be
 * @param lastFailure for people; empty if there was none
 */
public record PlaneGreeting(
    int protocolVersion,
    long incarnation,
    long leaseMillis,
    long writeIoMillis,
    List<Volume> volumes,
    long failures,
    String lastFailure) {

  /**
   * One of the DataNode's volumes: the device below it, or why no map is granted on it. Exactly one
   * of the two is there.
   *
   * @param path on the DataNode
   * @param freeSlots that a write may have there now
   * @param writeRefusal why nothing can be written there by a slot; null if it can
   * @param fence null where the DataNode was not asked to have one, or says nothing of it
   */
  public record Volume(
      String path,
      @Nullable DeviceIdentity device,
      @Nullable FallbackException refusal,
      int freeSlots,
      @Nullable FallbackException writeRefusal,
      @Nullable Fence fence) {

    /** One that has no slots and says nothing of them. */
    public Volume(
        String path, @Nullable DeviceIdentity device, @Nullable FallbackException refusal) {
      this(path, device, refusal, 0, null, null);
    }
  }

  /**
   * Whether a volume's device refuses the writes of other hosts than the DataNode's.
   *
   * @param detail who has the reservation, or what stands in the way
   */
  public record Fence(boolean held, String detail) {}
}
