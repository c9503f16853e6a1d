// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.datanode.volume.FenceStatus;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A storage directory with what is pinned on it.
 *
 * @param device below it; null only when {@code refusal} is set
 * @param refusal why no map can be granted on it now
 * @param pins blocks pinned, leftovers of earlier incarnations not counted
 * @param pinnedBytes of block and meta files
 * @param pinnedDeletedBytes those of them that HDFS let go, leftovers included
 * @param fence whether the device refuses other hosts' writes; null where nobody asked for that
 */
public record VolumeStatus(
    String storageId,
    Path volumeRoot,
    @Nullable DeviceIdentity device,
    @Nullable FallbackException refusal,
    int pins,
    long pinnedBytes,
    long pinnedDeletedBytes,
    @Nullable FenceStatus fence) {}
