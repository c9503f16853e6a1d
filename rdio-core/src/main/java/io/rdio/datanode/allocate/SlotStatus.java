// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A storage directory with its slots.
 *
 * @param refusal why nothing can be written there now, whatever is free; null if it can
 * @param free slots of the pool
 * @param freeBytes of those
 * @param largestFree bytes of the largest of those; 0 if there is none
 * @param leased slots under a lease, those being committed among them
 * @param quarantined slots whose lease is over and that are not in the pool yet
 * @param quarantinedBytes of those
 * @param committing Commits under way
 */
public record SlotStatus(
    String storageId,
    Path volumeRoot,
    @Nullable FallbackException refusal,
    int free,
    long freeBytes,
    long largestFree,
    int leased,
    int quarantined,
    long quarantinedBytes,
    int committing) {}
