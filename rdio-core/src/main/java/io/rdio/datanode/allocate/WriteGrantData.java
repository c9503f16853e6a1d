// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;

/**
 * One agent's right to write to one slot.
 *
 * @param incarnation of the room, never 0
 * @param leaseId random, never 0; who knows it can end the lease
 * @param leaseMillis the term {@code T}; it began before this was made
 * @param ioMillis {@code I}: how long the slot is left alone behind the lease
 * @param storageId of the volume that the slot is on, which need not be the one asked for
 * @param extents of the slot: at most {@link WriteRoom#EXTENTS_MAX}, each of whole units at a
 *     multiple of the unit, at least as many bytes as were asked for. Each begins with a stamp
 * @param slot number of the slot, as in its stamps
 * @param nonce of the slot's present life, as in its stamps
 * @param unit bytes that are written at once at least, a power of two
 * @param fenced whether the host is fenced off before the slot is given away (W8)
 */
public record WriteGrantData(
    long incarnation,
    long leaseId,
    long leaseMillis,
    long ioMillis,
    BlockKey block,
    DeviceIdentity device,
    String storageId,
    ExtentList extents,
    long slot,
    long nonce,
    int unit,
    boolean fenced) {}
