// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Fabric.VOLUME;
import static io.rdio.hdfs.testbed.Host.CLIENT;
import static io.rdio.hdfs.testbed.Host.DATANODE;

import io.rdio.hdfs.testbed.Meter.Reading;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Native multipath, in a boot of its own: the kernel joins the connections of both hosts to one
 * device with two paths, for it is one kernel, and uses one of them. What RDIO must do: take the
 * device and not one of its hidden paths, and not notice that the path in use goes.
 */
final class MultipathPart {
  private static final FileSet FILE = new FileSet("/multipath", 1, 24L << 20);
  private static final long STRIKE_AT = 8L << 20;

  /** Of the bytes read: what a path carries that is the one in use. */
  private static final double IN_USE_MIN = 0.9;

  private final List<Episode> episodes = new ArrayList<>();

  private MultipathPart() {}

  static MultipathPart run(Fabric fabric, Meter meter, Client client, PrintStream out)
      throws IOException {
    MultipathPart part = new MultipathPart();
    String sha256 = client.write(FILE);
    String device = fabric.device(CLIENT, VOLUME);
    if (!device.equals(fabric.device(DATANODE, VOLUME))) {
      throw new IOException("native multipath is off: " + device + " is the client's alone");
    }
    Reading bothUp = meter.read(true, FILE, sha256, true);
    Host inUse = carriedBy(bothUp, DATANODE) ? DATANODE : CLIENT;
    Host other = inUse == DATANODE ? CLIENT : DATANODE;
    part.add("both paths up", sha256, device, bothUp.outcome(), out);
    ReadOutcome lost = client.readWith(FILE, STRIKE_AT, () -> fabric.disconnect(inUse, VOLUME));
    part.add("path lost in mid-read", sha256, device, lost, out);
    Reading without = meter.read(true, FILE, sha256, true);
    if (!carriedBy(bothUp, inUse) || !carriedBy(without, other)) {
      throw new IOException(
          "no change of path: " + bothUp.perByte() + " and then " + without.perByte());
    }
    part.add("the other path", sha256, device, without.outcome(), out);
    fabric.connect(inUse, VOLUME);
    part.add("path back", sha256, device, client.read(true, FILE), out);
    return part;
  }

  private static boolean carriedBy(Reading reading, Host host) {
    String link = host == DATANODE ? "storage_to_datanode" : "storage_to_client";
    return reading.perByte().getOrDefault(link, 0.0) >= IN_USE_MIN;
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
