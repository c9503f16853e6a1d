// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.read.ReadContext;
import io.rdio.client.read.TransferQueue;
import org.jspecify.annotations.Nullable;

/**
 * What an agent needs of the program that it is part of.
 *
 * @param readContext maps, devices and memory
 * @param queues makes the queue of a lane's reads
 * @param writes null where nothing is written
 */
public record AgentPorts(
    ReadContext readContext,
    BlockRights rights,
    FirstReads firstReads,
    SuspectReplicas suspects,
    TransferQueue.Source queues,
    @Nullable WritePorts writes) {}
