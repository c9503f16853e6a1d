// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

/** What an agent that writes needs of the program that it is part of. */
public record WritePorts(WriteRights rights, BlockWrites blocks) {}
