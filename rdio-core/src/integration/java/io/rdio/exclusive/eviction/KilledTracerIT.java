// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.MemoryCgroup;
import io.rdio.core.testing.Patience;
import io.rdio.core.testing.Requirements;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tracer that is killed leaves nothing in the kernel, and the next one begins as if new. */
@Tag("loop")
final class KilledTracerIT {
  private static final Pattern ID = Pattern.compile("(?m)^(\\d+): ");
  private static final List<String> NAMES =
      List.of("evicted_folio", "evicted_page", "flush_held_runs", "ext4_forgets", "fadvise");

  /** What is killed: loads the programs, says so and waits. */
  public static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      try (KernelEvictions kernel = new KernelEvictions(KernelEvictions.Probe.BEST, true)) {
        System.out.println("loaded by " + kernel.probe());
        System.out.flush();
        if (System.in.read() < 0) {
          Thread.sleep(Long.MAX_VALUE);
        }
      }
    }
  }

  @Test
  void killedOneLeavesNothingAndTheNextOneWorks() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.requireTool("bpftool");
    Set<String> before = programs();
    Process victim = startVictim();
    Set<String> its = programs();
    its.removeAll(before);
    assertThat(its).hasSizeGreaterThanOrEqualTo(NAMES.size() - 1);

    assertThat(victim.destroyForcibly().waitFor(1, TimeUnit.MINUTES)).isTrue();

    // The kernel frees them behind a grace period.
    Patience.await().until(() -> noneOf(its, programs()));
    try (LoopFileSystem fs = LoopFileSystem.create("ext4", 200L << 20, List.of(), "defaults");
        MemoryCgroup cgroup = MemoryCgroup.create(16L << 20);
        TracedHost host = TracedHost.of(fs.device(), KernelEvictions.Probe.BEST, blocks -> {})) {
      Path file = fs.mountPoint().resolve("scanned");
      Command.run(
          "dd", "if=/dev/zero", "of=" + file, "bs=1M", "count=48", "oflag=direct", "status=none");
      cgroup.run("cat " + file + " > /dev/null");
      assertThat(host.awaitBlocks(1000).cardinality()).isGreaterThanOrEqualTo(1000);
    }
  }

  @Test
  void endedOneLeavesNothing() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.requireTool("bpftool");
    Set<String> before = programs();
    Process victim = startVictim();
    Set<String> its = programs();
    its.removeAll(before);

    victim.getOutputStream().write('\n');
    victim.getOutputStream().close();

    assertThat(victim.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(victim.exitValue()).isZero();
    Patience.await().until(() -> noneOf(its, programs()));
  }

  private static Process startVictim() throws IOException {
    Process victim =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader out = new BufferedReader(new InputStreamReader(victim.getInputStream(), UTF_8));
    Patience.await("it loads the programs").until(() -> out.ready() || !victim.isAlive());
    assertThat(out.readLine()).startsWith("loaded by");
    return victim;
  }

  private static boolean noneOf(Set<String> some, Set<String> all) {
    return some.stream().noneMatch(all::contains);
  }

  /** Ids of the programs in the kernel that have names like ours. */
  private static Set<String> programs() throws IOException {
    Set<String> ids = new TreeSet<>();
    for (String line : Command.run("bpftool", "prog", "show").split("\n", -1)) {
      Matcher id = ID.matcher(line);
      if (id.find() && NAMES.stream().anyMatch(line::contains)) {
        ids.add(id.group(1));
      }
    }
    return ids;
  }
}
