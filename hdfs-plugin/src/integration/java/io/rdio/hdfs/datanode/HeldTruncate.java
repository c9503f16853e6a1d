// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/**
 * Holds real truncates between their look at the link count and their change, under HDFS's lock:
 * there HDFS logs what it is about to do, and that is the only thing that can be hooked there.
 */
final class HeldTruncate extends AppenderSkeleton {
  private static final String POINT = "truncateBlock: blockFile=";

  private final Logger logger =
      Logger.getLogger("org.apache.hadoop.hdfs.server.datanode.LocalReplica");
  private final Hold hold;

  /** From now on, until {@link #end}. */
  HeldTruncate(Hold hold) {
    this.hold = hold;
    logger.setLevel(Level.INFO);
    logger.setAdditivity(false);
    logger.addAppender(this);
  }

  void end() {
    logger.removeAppender(this);
    logger.setAdditivity(true);
    logger.setLevel(null);
  }

  @Override
  protected void append(LoggingEvent event) {
    if (event.getRenderedMessage().startsWith(POINT)) {
      hold.pass();
    }
  }

  @Override
  public boolean requiresLayout() {
    return false;
  }

  @Override
  public void close() {}
}
