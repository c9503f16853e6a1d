// SPDX-License-Identifier: Apache-2.0
/**
 * The agent of a host, put together with Hadoop: {@code HostAgent} is a client of HDFS as any
 * other, whose maps, leases and devices the processes of the host share by the {@code AgentServer};
 * {@code TokenRights} says which of them may read which block.
 */
@NullMarked
package io.rdio.hdfs.agent;

import org.jspecify.annotations.NullMarked;
