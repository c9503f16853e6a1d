// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.read.ReadContext;
import io.rdio.client.read.TransferQueue;
import java.util.function.Supplier;

/**
 * What all lanes share.
 *
 * @param queues makes the queue of a lane's reads
 * @param status what the agent says of itself, for people
 */
record AgentParts(
    ReadContext readContext,
    BlockRights rights,
    AgentLimits limits,
    AgentCounters counters,
    Sessions sessions,
    TransferQueue.Source queues,
    Supplier<String> status) {}
