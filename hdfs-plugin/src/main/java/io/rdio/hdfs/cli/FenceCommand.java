// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.fence.FenceRecords;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.HostNamespaces;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rdio fence}: shuts a dead DataNode's host out of its devices. */
@Command(
    name = "fence",
    mixinStandardHelpOptions = true,
    description = {
      "Shut a DataNode's host out of its NVMe namespaces, before anything is done to its file"
          + " systems: the namespaces refuse its writes from then on, and this host alone can write"
          + " to them. Readers go on. To be run where the namespaces are connected, as root.",
      "Without DEVICEs all namespaces that this host sees and HOST has reserved. Repeat it if it"
          + " fails or is interrupted: it goes on from where it came to.",
      "HOST as the NameNode lists it ('Hostname' in 'hdfs dfsadmin -report').",
      "Exit status: 0 if HOST is shut out of all of them, else 1; with --status 0 if all that was"
          + " fenced still is."
    })
final class FenceCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClientOptions options = new ClientOptions();

  @Option(names = "--status", description = "only say who has reserved what, and what was fenced")
  private boolean status;

  @Option(
      names = "--undo",
      description = {
        "end it: this host gives the namespaces back, for HOST or whoever mounts them next. Only"
            + " when no file system of them is mounted here, and HOST was started anew or has them"
            + " unmounted: what it has in memory is stale"
      })
  private boolean undo;

  @Option(
      names = "--hold",
      description = {
        "reserve DEVICEs for this host, which is HOST, as its DataNode does with"
            + " dfs.datanode.rdio.fence: for DataNodes that do not run as root, before they start"
      })
  private boolean hold;

  @Option(names = "--release", description = "give up what --hold or the DataNode has reserved")
  private boolean release;

  @Option(
      names = "--force",
      description = "also if the NameNode lists HOST as alive, or does not answer")
  private boolean force;

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description = "this host's own name, as the NameNode would list it (default: its host name)")
  private @Nullable String as;

  @Option(
      names = "--records",
      paramLabel = "FOLDER",
      description = "where it is kept what was fenced (default: ${DEFAULT-VALUE})")
  private Path records = FenceRecords.DEFAULT;

  @Parameters(index = "0", arity = "0..1", paramLabel = "HOST", description = "a DataNode's host")
  private @Nullable String host;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "DEVICE",
      description = "node of a namespace, or of a partition of it, on this host")
  private List<Path> devices = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    check();
    HostNamespaces namespaces = new HostNamespaces();
    FenceRecords kept = new FenceRecords(records);
    PrintWriter out = spec.commandLine().getOut();
    try {
      if (status) {
        return new FenceView(namespaces, kept, out).print(host) ? 0 : 1;
      }
      String own = HostKey.name(as == null ? hostName() : as);
      FenceWork.Here here = new FenceWork.Here(own, Clock.systemUTC(), FenceCommand::sleep);
      return run(new FenceWork(namespaces, kept, here, out)) ? 0 : 1;
    } catch (ReservationException e) {
      if (e.obstacle() == Obstacle.DENIED) {
        return RootRights.missing(String.valueOf(e.getMessage()));
      }
      throw e;
    }
  }

  private boolean run(FenceWork work) throws IOException {
    String named = HostKey.name(String.valueOf(host));
    if (hold) {
      return work.hold(named, devices);
    }
    if (release) {
      return work.release(named, devices);
    }
    if (undo) {
      return work.undo(named, devices);
    }
    if (!force) {
      requireDead(named);
    }
    return work.fence(named, devices);
  }

  private void check() {
    if (Stream.of(status, undo, hold, release).filter(chosen -> chosen).count() > 1) {
      throw wrong("--status, --undo, --hold and --release: give one of them");
    }
    if (!status && (host == null || host.isBlank())) {
      throw wrong("name a HOST, or give --status");
    }
    if ((hold || release) && devices.isEmpty()) {
      throw wrong("--hold and --release: name the DEVICEs");
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** A DataNode that lives writes to its file system, which would be lost to it. */
  private void requireDead(String named) throws IOException {
    Configuration conf = options.configuration();
    List<DatanodeInfo> live;
    try (Hdfs hdfs = Hdfs.open(conf, "/")) {
      live = hdfs.liveDataNodes();
    } catch (IOException e) {
      throw new IOException(
          "the NameNode does not say whether the DataNode of "
              + named
              + " is dead ("
              + Failures.message(e)
              + "); fix: run it as HDFS's superuser, or make sure of it yourself and give --force",
          e);
    }
    for (DatanodeInfo dataNode : live) {
      if (named.equals(HostKey.name(dataNode.getHostName()))) {
        throw new IOException(
            named
                + " has a DataNode that the NameNode lists as alive ("
                + dataNode.getXferAddr()
                + "); fix: stop it, and wait until the NameNode has noticed; or give --force, which"
                + " takes its file systems from it as they are");
      }
    }
  }

  private static void sleep(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }

  private static String hostName() throws IOException {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IOException(
          "this host does not know its own name (" + e.getMessage() + "); fix: give it by --as", e);
    }
  }
}
