// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.runtime;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.client.plane.grant.EndpointResolver;
import io.rdio.core.wire.ChannelFactory;
import java.util.concurrent.Executor;

/**
 * What a {@link ClientRuntime} needs of the program that it is part of.
 *
 * @param locator tells which DataNodes have a block
 * @param endpoints tells where their plugins listen
 * @param channels to those plugins; the runtime closes it
 * @param background runs loads that their callers do not wait for, as the caller's user; rejects
 *     what it cannot begin at once. To be shut down before the runtime is closed
 * @param counters of reads, which may be shared by several runtimes
 */
public record RuntimePorts(
    BlockLocator locator,
    EndpointResolver endpoints,
    ChannelFactory channels,
    Executor background,
    ClientCounters counters) {}
