// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.tools.DFSck;

/** {@code hdfs fsck}. */
public final class Fsck {
  private Fsck() {}

  /**
   * What it says of all files.
   *
   * @param conf names the NameNode's web server, too
   */
  public static String ofAllFiles(Configuration conf) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new DFSck(conf, new PrintStream(out, true, StandardCharsets.UTF_8)).run(new String[] {"/"});
    return out.toString(StandardCharsets.UTF_8);
  }
}
