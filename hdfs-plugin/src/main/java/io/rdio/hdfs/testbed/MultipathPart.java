// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Fabric.VOLUME;
import static io.rdio.hdfs.testbed.Host.CLIENT;
import static io.rdio.hdfs.testbed.Host.DATANODE;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Native multipath, in a boot of its own: the kernel joins the connections of both hosts to one
 * device with two paths, for it is one kernel. Nothing to count on the links, but what RDIO must do
 * is to be seen: take the device and not one of its hidden paths, and not notice that a path goes.
 */
final class MultipathPart {
  private static final FileSet FILE = new FileSet("/multipath", 1, 24L << 20);
  private static final long STRIKE_AT = 8L << 20;

  private final List<Episode> episodes = new ArrayList<>();

  private MultipathPart() {}

  static MultipathPart run(Fabric fabric, Client client, PrintStream out) throws IOException {
    MultipathPart part = new MultipathPart();
    String sha256 = client.write(FILE);
    String device = fabric.device(CLIENT, VOLUME);
    if (!device.equals(fabric.device(DATANODE, VOLUME))) {
      throw new IOException("native multipath is off: " + device + " is the client's alone");
    }
    part.add("both paths up", sha256, device, client.read(true, FILE), out);
    part.add(
        "a path lost in mid-read",
        sha256,
        device,
        client.readWith(FILE, STRIKE_AT, () -> fabric.disconnect(CLIENT, VOLUME)),
        out);
    fabric.connect(CLIENT, VOLUME);
    part.add("the path is back", sha256, device, client.read(true, FILE), out);
    return part;
  }

  private void add(
      String name, String sha256, String device, ReadOutcome outcome, PrintStream out) {
    boolean ok = outcome.sha256().equals(sha256) && outcome.allByRdio();
    Episode episode = new Episode("multipath: " + name, ok, device, outcome, 0);
    episodes.add(episode);
    out.println("testbed: " + episode.line());
  }

  /** For the JSON. */
  List<Map<String, Object>> fields() {
    return episodes.stream().map(Episode::fields).toList();
  }

  boolean allOk() {
    return episodes.stream().allMatch(Episode::ok);
  }
}
