// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.RingQueue;
import io.rdio.hdfs.ConfigKey;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RdioReplicaAccessorBuilder;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;

/** What the doctor can tell without asking anybody: librdio and the client's keys. */
final class ClientCheck {
  private static final String BUILDERS = HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY;
  private static final String OURS = RdioReplicaAccessorBuilder.class.getName();

  private ClientCheck() {}

  static void run(Configuration conf, Findings findings) {
    findings.part("This client");
    NativeAvailability library = NativeLibrary.availability();
    if (library.isAvailable()) {
      findings.ok("librdio", library.detail());
      checkQueue(findings);
    } else {
      findings.wrong("librdio", FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, library.detail());
    }
    checkBuilder(conf, findings);
    checkEnabled(conf, findings);
    checkOtherKeys(conf, findings);
  }

  /** Without it all works the same, slower. */
  private static void checkQueue(Findings findings) {
    try (RingQueue queue = RingQueue.open()) {
      findings.ok(
          queue.isUring() ? "io_uring" : "io_submit, for there is no io_uring here",
          "several device reads of a stream are under way at a time");
    } catch (FallbackException e) {
      findings.note(
          "queue", "not available here, so device reads follow each other: " + e.detail());
    }
  }

  private static void checkBuilder(Configuration conf, Findings findings) {
    List<String> builders = List.copyOf(conf.getTrimmedStringCollection(BUILDERS));
    if (builders.contains(OURS)) {
      findings.ok("hook", BUILDERS + " is " + String.join(",", builders));
    } else {
      findings.wrong(
          "hook",
          BUILDERS
              + " is '"
              + String.join(",", builders)
              + "', so HDFS never asks RDIO (configuration: "
              + conf
              + ")",
          "add " + OURS + " to it in hdfs-site.xml, or set HADOOP_CONF_DIR to where that is done");
    }
  }

  private static void checkEnabled(Configuration conf, Findings findings) {
    ConfigKey<Boolean> key = RdioConfigKeys.CLIENT_ENABLED;
    if (key.get(conf)) {
      findings.ok("switch", key + " is " + key.written(conf));
    } else {
      findings.wrong(
          "switch",
          FallbackReason.DISABLED,
          key
              + " is "
              + (key.isSet(conf) ? "'" + key.written(conf) + "'" : "not set, which means false"));
    }
  }

  /** By what a client that is switched on would do with them. */
  private static void checkOtherKeys(Configuration conf, Findings findings) {
    Configuration on = new Configuration(conf);
    on.setBoolean(RdioConfigKeys.CLIENT_ENABLED.name(), true);
    try (RdioClientContext context = RdioClientContext.get(on)) {
      FallbackException unusable = context.unusable();
      if (unusable == null || unusable.reason() == FallbackReason.NATIVE_LIBRARY_UNAVAILABLE) {
        findings.ok("other keys", "valid; no encryption is demanded that a device read gets round");
      } else {
        findings.wrong("other keys", unusable);
      }
    }
  }
}
