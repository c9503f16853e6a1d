// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import org.jspecify.annotations.Nullable;

/**
 * A storage directory with its slots.
 *
 * @param refusal why nothing can be written there now, whatever is free; null if it can
 * @param free slots of the pool
 * @param freeBytes of those
 * @param leased slots under a lease, those being committed among them
 * @param quarantined slots whose lease is over and that are not in the pool yet
 * @param quarantinedBytes of those
 * @param committing Commits under way
 * @param kept files of blocks that have a link by which they are to be slots again
 */
public record SlotStatus(
    String storageId,
    @Nullable FallbackException refusal,
    int free,
    long freeBytes,
    int leased,
    int quarantined,
    long quarantinedBytes,
    int committing,
    int kept) {}
