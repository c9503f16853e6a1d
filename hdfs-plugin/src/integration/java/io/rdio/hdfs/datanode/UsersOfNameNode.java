// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import java.net.InetAddress;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.server.namenode.AuditLogger;

/** Keeps who asked a NameNode of this JVM for which file's blocks: its audit log. */
public final class UsersOfNameNode implements AuditLogger {
  private static final ConcurrentLinkedQueue<Asked> ASKED = new ConcurrentLinkedQueue<>();

  /** Who, what for, and whether it was allowed. */
  record Asked(String user, String file, boolean allowed) {}

  static Collection<Asked> asked() {
    return ASKED;
  }

  @Override
  public void initialize(Configuration conf) {
    ASKED.clear();
  }

  @Override
  public void logAuditEvent(
      boolean succeeded,
      String userName,
      InetAddress address,
      String command,
      String source,
      String target,
      FileStatus status) {
    if ("open".equals(command)) {
      ASKED.add(new Asked(userName.replaceAll(" .*", ""), source, succeeded));
    }
  }
}
