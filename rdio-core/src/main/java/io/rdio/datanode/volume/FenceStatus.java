// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

/**
 * Whether a volume's device refuses the writes of all other hosts, but for those that agents of
 * its DataNode's are registered on.
 *
 * @param held whether it does, as far as is known
 * @param detail who has the reservation, or what stands in the way; for people
 */
public record FenceStatus(boolean held, String detail) {}
