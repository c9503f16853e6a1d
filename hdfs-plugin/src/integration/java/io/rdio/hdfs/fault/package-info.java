// SPDX-License-Identifier: Apache-2.0
/**
 * Attacks: daemons killed at each step of the protocol, clients paused past their leases, blocks
 * moved and rewritten under a reader, power lost, devices that fail or are not what they seem, a
 * metadata plane that lies, every cap reached, and many of these at once in a soak.
 */
package io.rdio.hdfs.fault;
