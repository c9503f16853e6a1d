// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

/**
 * What all groups of this process share.
 *
 * @param encoders codes that it knows
 * @param memory for their stripes
 * @param backlog which of them have no parity yet
 */
public record ParityParts(
    ParityEncoder.Source encoders, StripeMemory memory, ParityBacklog backlog) {}
