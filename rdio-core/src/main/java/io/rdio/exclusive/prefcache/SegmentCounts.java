// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

/**
 * What a {@link SegmentCache} has and what it did since it was made. Blocks where nothing else is
 * said. {@code admitted = prefetching + prefetched + late + given up}, and {@code prefetched =
 * resident + hits + wasted}.
 *
 * @param segments cached now
 * @param resident valid now
 * @param prefetching being fetched, or waiting to be
 * @param described named by descriptors
 * @param admitted of those, how many were not here or on their way
 * @param prefetched fetched in time, so that they became valid
 * @param late read or written by a compute node, or evicted, before they were fetched
 * @param givenUp not fetched, for want of a place in the queue or because the device failed
 * @param read asked for by compute nodes
 * @param hits of those, how many were valid
 * @param wasted fetched, and dropped before anybody read them
 * @param retainedSegments times that a segment stayed although a part of it had been read or
 *     written
 * @param spentSegments dropped because enough of them was invalid
 * @param evictedSegments dropped for want of room
 */
public record SegmentCounts(
    long segments,
    long resident,
    long prefetching,
    long described,
    long admitted,
    long prefetched,
    long late,
    long givenUp,
    long read,
    long hits,
    long wasted,
    long retainedSegments,
    long spentSegments,
    long evictedSegments) {}
