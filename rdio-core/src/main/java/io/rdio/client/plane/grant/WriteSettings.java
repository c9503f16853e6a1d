// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import java.time.Duration;

/**
 * How a client asks DataNodes for slots, and writes to them.
 *
 * @param commitTimeout longest wait for the answer to a commit, for which the DataNode waits for
 *     its disk
 * @param commitSilence how long nothing may be heard of a commit before the DataNode is asked
 *     whether it is there, which it has to answer like any other call
 * @param trusting whether a DataNode is believed that proves nothing by a block token: TLS vouches
 *     for it, or the site says that nobody can take its port
 * @param deviceTimeout longest wait for a device
 */
public record WriteSettings(
    Duration commitTimeout, Duration commitSilence, boolean trusting, Duration deviceTimeout) {}
