// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

/**
 * Whether a volume's device refuses the writes of all other hosts, but for registered ones of
 * agents where these may write.
 *
 * @param held whether it does, as far as is known
 * @param detail who has the reservation, or what stands in the way; for people
 */
public record FenceStatus(boolean held, String detail) {}
