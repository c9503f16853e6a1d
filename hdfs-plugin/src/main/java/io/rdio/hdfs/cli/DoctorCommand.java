// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceDirectory.Candidate;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.DataNodePlugins;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rdio doctor}: whether reads on this host would go to the device, and if not, why. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = {
      "Whether reads on this host, with the configuration found here, go to the device; for"
          + " whatever is not in order the cause and the fix.",
      "Looks at the native library, the client's keys, the agent of this host, the plugin and the"
          + " volumes of each live DataNode, this host's devices and what its kernel has for"
          + " KTracer, and reads one block as an application does. Run it as the user whose reads"
          + " are in question.",
      "With --job, whether the reads of a job that has ended went by RDIO, and for each reason why"
          + " not its meaning and its fix.",
      "Exit status: 0 only if reads go to the device, else 1; with --tune DEVICE, which looks at"
          + " nothing else, 0 if that could be read; with --job, which looks at nothing else"
          + " either, 0 if anything was read by RDIO."
    })
final class DoctorCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClientOptions options = new ClientOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "PATH",
      description =
          "file in HDFS for the test read, or a directory to look for one in (default:"
              + " ${DEFAULT-VALUE})")
  private String name = "/";

  @Option(
      names = "--tune",
      arity = "0..1",
      paramLabel = "DEVICE",
      fallbackValue = "",
      description = {
        "also read a device, for some 8 seconds and without ever writing, by windows of several"
            + " sizes and several at a time, and print which settings of dfs.client.rdio.read.ahead"
            + " and dfs.client.rdio.read.window suffice; DEVICE is a device or a regular file, by"
            + " default the first of the DataNodes' devices that this user may open (a PATH comes"
            + " before this option)"
      })
  private @Nullable String tune;

  @Option(
      names = "--job",
      arity = "1..*",
      paramLabel = "FILE",
      description = {
        "add up what a job left: the output of its commands, its driver's and containers' logs as"
            + " of 'yarn logs -applicationId ID', counters as of 'mapred job -status ID', in any"
            + " order and mixture; FILE is a file, a folder of them, or - for the standard input",
        "Processes say at their end what read for them with dfs.client.rdio.exit.report = true;"
            + " MapReduce's counters have it with dfs.client.rdio.job.counter = true."
      })
  private List<String> job = List.of();

  @Override
  public Integer call() throws IOException {
    if (!job.isEmpty()) {
      return ofJob();
    }
    Configuration conf = options.configuration();
    Findings findings = new Findings(spec.commandLine().getOut());
    TuneCheck tuning = new TuneCheck(conf, spec.commandLine().getOut(), findings);
    if (tune != null && !tune.isEmpty()) {
      tuning.run(Path.of(tune));
      return status(findings);
    }
    ClientCheck.run(conf, findings);
    boolean agentAnswers = AgentCheck.run(conf, findings);
    // The test read is to show RDIO, as to a process that reads much.
    conf.set(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), "0");
    conf.set(RdioConfigKeys.CLIENT_DEVICE_AFTER.name(), "0");
    try (DataNodePlugins plugins = DataNodePlugins.of(conf)) {
      WriteCheck writes = WriteCheck.of(conf, findings);
      DataNodeCheck dataNodes = new DataNodeCheck(plugins, agentAnswers, writes, findings);
      checkCluster(conf, dataNodes, findings);
      if (tune != null) {
        tuning.run(dataNodes.opened());
      }
      findings.part("Devices of this host");
      for (Candidate device : plugins.devices().candidates()) {
        findings.note(device.path(), Table.bytes(device.sizeBytes()) + ", " + device.detail());
      }
    } catch (FallbackException e) {
      findings.note("stopped", "with such keys nothing further can be looked at");
    }
    TracerCheck.run(findings);
    findings.part(
        findings.wrongs() == 0
            ? "Reads go to the device."
            : "NOT IN ORDER: " + findings.wrongs() + " WRONG above.");
    return status(findings);
  }

  private int ofJob() throws IOException {
    if (tune != null) {
      throw new ParameterException(
          spec.commandLine(), "--job and --tune look at nothing else: give one of them");
    }
    JobLog log = JobReport.read(job, System.in);
    return new JobReport(log, spec.commandLine().getOut()).print() ? 0 : 1;
  }

  private static int status(Findings findings) {
    return findings.wrongs() == 0 ? 0 : 1;
  }

  private void checkCluster(Configuration conf, DataNodeCheck check, Findings findings) {
    findings.part("Cluster");
    try (Hdfs hdfs = Hdfs.open(conf, name);
        BlockMaps maps = new BlockMaps(hdfs.fs().getConf())) {
      FileStatus file = TestFile.find(hdfs);
      findings.ok("NameNode", hdfs.fs().getUri().toString());
      check.run(dataNodes(hdfs, file, findings));
      findings.part("Read by FileSystem.open");
      if (file == null) {
        findings.wrong(
            "test read",
            "not done: " + hdfs.path() + " is, or has, no file with a block to read",
            "name a file: 'rdio doctor PATH'; 'hdfs dfs -put' makes one");
      } else {
        new TestRead(hdfs, file, maps).run(findings);
      }
    } catch (IOException e) {
      findings.wrong(
          "NameNode",
          Failures.message(e),
          "check fs.defaultFS in HADOOP_CONF_DIR, that the NameNode runs, and PATH");
    }
  }

  private static List<DatanodeInfo> dataNodes(
      Hdfs hdfs, @Nullable FileStatus file, Findings findings) throws IOException {
    try {
      List<DatanodeInfo> live = hdfs.liveDataNodes();
      if (live.isEmpty()) {
        findings.wrong("DataNodes", "none is alive", "start one");
      }
      return live;
    } catch (AccessControlException e) {
      findings.note(
          "DataNodes",
          "only HDFS's superuser may list them; looked at are those that hold "
              + (file == null ? "the test file, which there is not" : file.getPath()));
      return file == null ? List.of() : hdfs.dataNodesOf(file.getPath());
    }
  }
}
