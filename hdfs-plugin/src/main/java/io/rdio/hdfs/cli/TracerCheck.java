// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.exclusive.eviction.KernelEvictions;
import io.rdio.exclusive.eviction.KernelEvictions.Probe;
import io.rdio.nativeio.BpfLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What this host's kernel has of what {@code rdio ktrace} needs. Reads do without it, so nothing
 * here is wrong.
 */
final class TracerCheck {
  private static final int CAP_SYS_ADMIN = 21;
  private static final Map<Integer, String> CAPABILITIES = capabilities();

  private TracerCheck() {}

  private static Map<Integer, String> capabilities() {
    Map<Integer, String> names = new LinkedHashMap<>();
    names.put(39, "CAP_BPF");
    names.put(38, "CAP_PERFMON");
    names.put(2, "CAP_DAC_READ_SEARCH");
    return names;
  }

  static void run(Findings findings) {
    findings.part("KTracer, if this host is to run it ('rdio ktrace')");
    findings.note("kernel", System.getProperty("os.version"));
    findings.note(
        "BTF",
        Files.exists(Path.of("/sys/kernel/btf/vmlinux"))
            ? "/sys/kernel/btf/vmlinux"
            : "missing: a kernel with CONFIG_DEBUG_INFO_BTF is needed");
    findings.note("capabilities", missingCapabilities());
    findings.note(
        "tracefs",
        Files.isDirectory(Path.of("/sys/kernel/tracing/events"))
                || Files.isDirectory(Path.of("/sys/kernel/debug/tracing/events"))
            ? "mounted"
            : "not mounted (or not to be seen by this user): FADV_NOREUSE and the classic"
                + " tracepoint need it: mount -t tracefs tracefs /sys/kernel/tracing");
    if (BpfLibrary.availability().isAvailable()) {
      for (Probe probe : List.of(Probe.TP_BTF, Probe.CLASSIC)) {
        findings.note(probe.name(), probe(probe));
      }
    } else {
      findings.note("librdio_bpf", BpfLibrary.availability().detail());
    }
  }

  /** By loading the programs, which a ring buffer (Linux 5.8) is part of. */
  private static String probe(Probe probe) {
    try (KernelEvictions kernel = new KernelEvictions(probe, false)) {
      return "loads, ring buffer included; ext4: "
          + orTraced(kernel.whyNot("ext4"))
          + "; xfs: "
          + orTraced(kernel.whyNot("xfs"));
    } catch (IOException e) {
      return "cannot be used: " + Failures.message(e).lines().findFirst().orElse("");
    }
  }

  private static String orTraced(String obstacle) {
    return obstacle.isEmpty() ? "traced" : obstacle;
  }

  private static String missingCapabilities() {
    try {
      String line =
          Files.readAllLines(Path.of("/proc/self/status")).stream()
              .filter(text -> text.startsWith("CapEff:"))
              .findFirst()
              .orElse("CapEff:0");
      long held = Long.parseUnsignedLong(line.substring(line.indexOf(':') + 1).strip(), 16);
      List<String> missing = new ArrayList<>();
      CAPABILITIES.forEach(
          (number, name) -> {
            boolean implied = number > 3 && has(held, CAP_SYS_ADMIN);
            if (!has(held, number) && !implied) {
              missing.add(name);
            }
          });
      return missing.isEmpty() ? "all that it needs" : "this user has no " + missing;
    } catch (IOException | NumberFormatException e) {
      return "unknown: " + e;
    }
  }

  private static boolean has(long capabilities, int number) {
    return (capabilities >>> number & 1) == 1;
  }
}
