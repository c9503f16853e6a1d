// SPDX-License-Identifier: Apache-2.0
/**
 * The agent of a host: reads devices for all processes of the host, straight into memory that they
 * share with it. What they say to each other is told in {@link io.rdio.agent.ipc}.
 *
 * <p>{@code AgentServer} listens and gives each lane a {@code LaneServer} with a thread of its own.
 * That one begins a session ({@code Handshake}, {@code Sessions}, {@code ClientProcess}) or joins
 * one, opens blocks ({@code OpenBlocks}) once {@code BlockRights} allow it, and reads them by
 * {@code LaneTransfers} into the {@code SegmentMemory}, from the device or from the block data
 * cache. {@code WriteLaneServer} writes blocks ({@code WrittenBlock}) by {@code BlockWrites}, once
 * {@code WriteRights} allow it. {@code UserAccounts}, {@code WritePermits} and {@code AgentLimits}
 * bound what a process and a user take.
 *
 * <p>{@code ListeningSocket} says what is wrong with the socket's place; {@code ServiceManager}
 * tells systemd how the agent is.
 */
@NullMarked
package io.rdio.agent.daemon;

import org.jspecify.annotations.NullMarked;
