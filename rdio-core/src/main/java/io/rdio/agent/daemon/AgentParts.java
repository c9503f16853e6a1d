// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.read.ReadContext;

/**
 * What all lanes share.
 *
 * @param status what the agent says of itself
 */
record AgentParts(
    AgentPorts ports,
    AgentLimits limits,
    AgentCounters counters,
    Sessions sessions,
    HugePages hugePages,
    WritePermits writePermits,
    AgentStatus status) {

  ReadContext readContext() {
    return ports.readContext();
  }
}
