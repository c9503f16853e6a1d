// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which classes of ours know which, as jdeps reads it from what was compiled. */
final class DependenciesTest {
  private static final Pattern EDGE = Pattern.compile(" +(io\\.rdio\\S+) +-> (io\\.rdio\\S+).*");
  private static final String CHECKOUT =
      "io\\.rdio\\.hdfs\\.(carried|cluster|demo|load|testbed)\\..*";
  private static final String CLIENT = "io\\.rdio\\.hdfs\\.client\\..*";

  /** The storage node's prefetch cache and the tracer of evictions. */
  private static final String STORAGE = "io\\.rdio\\.exclusive\\..*";

  /** The one door to the tracer that a client has, which it opens where it is configured to. */
  private static final String DOOR =
      ".*\\.(eviction\\.DataCacheAgent|client\\.direct\\.EvictedChunks)";

  /** What configurations name, and the service loader. */
  private static final String HOOKS =
      "io\\.rdio\\.hdfs\\.(SettingKeys|client\\.(RdioReplicaAccessorBuilder|RdioFileSystem|Recording\\w*Provider))";

  /** Major version of the class files of Java 8, and where it is in them. */
  private static final int JAVA_8 = 52;

  private static final int CLASS_FILE_VERSION_AT = 6;

  private static final Map<String, Set<String>> KNOWN = new HashMap<>();

  @BeforeAll
  static void readClasses() throws URISyntaxException {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    int status =
        ToolProvider.findFirst("jdeps")
            .orElseThrow()
            .run(
                out,
                out,
                "-verbose:class",
                "-filter:none",
                "--ignore-missing-deps",
                place(RdioConfigKeys.class),
                place(FallbackReason.class));
    assertThat(status).as(text.toString()).isZero();
    text.toString()
        .lines()
        .map(EDGE::matcher)
        .filter(Matcher::matches)
        .forEach(
            edge ->
                KNOWN.computeIfAbsent(edge.group(1), any -> new HashSet<>()).add(edge.group(2)));
    // So that no rule below holds for want of classes.
    assertThat(KNOWN.keySet())
        .anyMatch(name -> name.matches(CHECKOUT))
        .anyMatch(name -> name.matches(CLIENT))
        .anyMatch(name -> name.endsWith(".PrefCacheAgent"));
  }

  /** The folder or jar that a class is in. */
  private static String place(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  @Test
  void whatUsersInstallDoesWithoutWhatOnlyCheckoutsRun() {
    KNOWN.forEach(
        (name, others) -> {
          if (!name.matches(CHECKOUT)) {
            assertThat(others).as(name).noneMatch(other -> other.matches(CHECKOUT));
          }
        });
  }

  @Test
  void roomsOfTheClientAreBelowIt() {
    String rooms = "io\\.rdio\\.hdfs\\.client\\.(locate|namenode|stock|vectored|way|write)\\..*";
    assertThat(KNOWN.keySet()).anyMatch(name -> name.matches(rooms));
    KNOWN.forEach(
        (name, others) -> {
          if (name.matches(rooms)) {
            assertThat(others).as(name).noneMatch(DependenciesTest::isAboveTheRooms);
          }
        });
  }

  private static boolean isAboveTheRooms(String name) {
    return name.matches("io\\.rdio\\.hdfs\\.(client\\.([A-Z]|direct\\.)|cli\\.|datanode\\.).*");
  }

  @Test
  void noClientKnowsThePrefetchCacheOrTheTracer() {
    assertThat(reachable(CLIENT, DOOR))
        .noneMatch(name -> name.matches(STORAGE) && !name.matches(DOOR));
  }

  /** A JVM of Hadoop 3.3 or 3.4 may be one of Java 8; it comes to no class that it cannot load. */
  @Test
  void whatHadoopKnowsOfTheClientIsForJava8() throws IOException {
    Set<String> reached = reachable(HOOKS, "");
    assertThat(reached)
        .contains("io.rdio.agent.ipc.AgentBlock", "io.rdio.nativeio.LocalSocket")
        .contains("io.rdio.hdfs.client.stock.StockReplicaReader");
    for (String name : reached) {
      assertThat(classFileVersion(name)).as(name).isEqualTo(JAVA_8);
    }
    assertThat(classFileVersion("io.rdio.hdfs.client.direct.DeviceClient")).isGreaterThan(JAVA_8);
  }

  private static int classFileVersion(String name) throws IOException {
    String file = "/" + name.replace('.', '/') + ".class";
    try (DataInputStream in =
        new DataInputStream(
            Objects.requireNonNull(DependenciesTest.class.getResourceAsStream(file), file))) {
      in.skipNBytes(CLASS_FILE_VERSION_AT);
      return in.readUnsignedShort();
    }
  }

  @Test
  void oneClassOfTheClientKnowsTheDoorToTheTracer() {
    assertThat(KNOWN.entrySet())
        .filteredOn(entry -> entry.getKey().matches(CLIENT))
        .filteredOn(
            entry -> entry.getValue().stream().anyMatch(name -> name.endsWith(".DataCacheAgent")))
        .hasSize(1);
  }

  /** What can be come to by way of some classes, but not through others. */
  private static Set<String> reachable(String begin, String end) {
    Deque<String> left = new ArrayDeque<>();
    KNOWN.keySet().stream().filter(name -> name.matches(begin)).forEach(left::add);
    Set<String> seen = new HashSet<>(left);
    while (!left.isEmpty()) {
      String name = left.remove();
      if (name.matches(end)) {
        continue;
      }
      for (String other : KNOWN.getOrDefault(name, Set.of())) {
        if (seen.add(other)) {
          left.add(other);
        }
      }
    }
    return seen;
  }
}
