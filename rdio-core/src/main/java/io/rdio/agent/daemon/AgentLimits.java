// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import java.time.Duration;

/**
 * What the agent gives at most, so that no process and no user takes it from the others.
 *
 * @param lanesPerProcess connections of one process: its threads that read at the same time
 * @param lanes connections of all; each has a thread and, unless it rests, an io_uring of the agent
 * @param lanesPerUser connections of all processes of one user
 * @param openPerProcess blocks that one process may have open
 * @param segmentBytes memory that one process may share with the agent
 * @param segmentBytesPerUser memory that all processes of one user may share with it
 * @param patience how long a process may take to begin a conversation, or to read an answer; a lane
 *     that is asked nothing for so long rests
 * @param idle how long nothing is asked before an unused segment's memory is taken back, once all
 *     of its lanes rest
 * @param writes what of it is for blocks that are written
 */
public record AgentLimits(
    int lanesPerProcess,
    int lanes,
    int lanesPerUser,
    int openPerProcess,
    long segmentBytes,
    long segmentBytesPerUser,
    Duration patience,
    Duration idle,
    Writes writes) {
  /**
   * Blocks that are written at the same time.
   *
   * @param perProcess of one process
   * @param all of all
   * @param checksumBytes memory for the CRCs of all; those of one have up to 8 MiB
   */
  public record Writes(int perProcess, int all, long checksumBytes) {}
}
