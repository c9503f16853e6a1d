// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static io.rdio.hdfs.agent.StripedHdfs.CELL;
import static io.rdio.hdfs.agent.StripedHdfs.GROUP;
import static io.rdio.hdfs.agent.StripedHdfs.PATIENCE;
import static io.rdio.hdfs.agent.StripedHdfs.STRIPE;
import static io.rdio.hdfs.agent.StripedHdfs.UNITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Erasure-coded files that the agent writes to the devices of a DataNode for each block. */
@Tag("loop")
@EnabledIfSystemProperty(
    named = "rdio.test.all",
    matches = "true",
    disabledReason = "erasure-coded writes are off by default: bin/test --all runs this")
final class StripedWriteIT {
  /** Of one group, whose last stripe is not full. */
  private static final int PARTIAL = 2 * STRIPE + CELL + 12_345;

  /** More than a client keeps of a group before it has the agent begin it, and less than one. */
  private static final int BEGUN = STRIPE + CELL + 4_321;

  private static final WriteCounters WRITES = WriteCounters.OF_THIS_JVM;

  private static StripedHdfs hdfs;
  private static int files;

  private long bytesBefore;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    hdfs = new StripedHdfs();
  }

  private static boolean isWrittenByAgent() throws IOException {
    long before = WRITES.bytes.sum();
    try (FileSystem fs = hdfs.client("deferred")) {
      write(fs, file(PARTIAL));
    }
    return WRITES.bytes.sum() - before == PARTIAL;
  }

  @AfterAll
  static void stop() throws IOException {
    if (hdfs != null) {
      hdfs.close();
    }
  }

  /** A busy machine, or one whose daemons have just begun, may not have the agent write all. */
  @BeforeEach
  void awaitWriters() {
    hdfs.awaitSlots();
    await("the agent writes all")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(StripedWriteIT::isWrittenByAgent);
    hdfs.awaitSlots();
    awaitParity();
    bytesBefore = WRITES.bytes.sum();
  }

  private void assertWrittenByAgent(SeededFile file) {
    assertThat(WRITES.bytes.sum() - bytesBefore)
        .as("bytes by the agent")
        .isEqualTo(file.bytes().length);
  }

  private static SeededFile file(int length) {
    return StripedHdfs.file("file" + files++, length);
  }

  private static void write(FileSystem fs, SeededFile file) throws IOException {
    try (FSDataOutputStream out = fs.create(file.path())) {
      int length = file.bytes().length;
      int first = length / 3;
      int second = length / 2;
      out.write(file.bytes(), 0, first);
      out.write(file.bytes(), first, second);
      out.write(file.bytes(), first + second, length - first - second);
    }
  }

  private static void awaitParity() {
    await().atMost(PATIENCE).until(() -> hdfs.figure("groups_without_parity") == 0);
  }

  static Stream<Arguments> lengthsAndKinds() {
    return Stream.of("immediate", "deferred")
        .flatMap(
            kind ->
                IntStream.of(1_000, CELL - 5, CELL, PARTIAL, GROUP, 2 * GROUP + CELL + 777)
                    .mapToObj(length -> Arguments.of(kind, length)));
  }

  @ParameterizedTest
  @MethodSource("lengthsAndKinds")
  void fileIsAsAnyOther(String kind, int length) throws Exception {
    SeededFile file = file(length);
    long lost = hdfs.figure("parity_blocks_lost_total");
    try (FileSystem fs = hdfs.client(kind)) {
      write(fs, file);
    }
    assertWrittenByAgent(file);
    hdfs.assertContent(file);
    awaitParity();
    assertThat(hdfs.figure("parity_blocks_lost_total")).isEqualTo(lost);
    hdfs.awaitWhole(file.path());
    assertThat(hdfs.fsck(file.path())).contains("is HEALTHY");
  }

  @Test
  void closeWaitsForParityWhereItIsToldTo() throws Exception {
    SeededFile file = file(PARTIAL);
    try (FileSystem fs =
        hdfs.client("deferred", RdioConfigKeys.CLIENT_WRITE_PARITY_WAIT.name(), "/striped")) {
      write(fs, file);
      assertThat(hdfs.figure("groups_without_parity")).isZero();
    }
    assertWrittenByAgent(file);
    hdfs.awaitWhole(file.path());
  }

  /** As many as may be; first of all those of data, so that parity is needed. */
  @ParameterizedTest
  @ValueSource(strings = {"immediate", "deferred"})
  void whatDeadDataNodesHaveIsMadeOfParity(String kind) throws Exception {
    SeededFile file = file(PARTIAL);
    try (FileSystem fs = hdfs.client(kind)) {
      write(fs, file);
    }
    assertWrittenByAgent(file);
    awaitParity();
    hdfs.awaitWhole(file.path());
    for (int[] dead : new int[][] {{0, 1}, {2, 3}}) {
      List<HadoopDaemon> killed = new ArrayList<>();
      try {
        for (int unit : dead) {
          HadoopDaemon dataNode = hdfs.dataNode(file.path(), unit);
          dataNode.kill();
          killed.add(dataNode);
        }
        hdfs.assertContent(file);
      } finally {
        for (HadoopDaemon dataNode : killed) {
          dataNode.start();
        }
      }
    }
  }

  static Stream<Arguments> unitsAndKinds() {
    return Stream.of("immediate", "deferred")
        .flatMap(kind -> Stream.of(Arguments.of(kind, 0), Arguments.of(kind, UNITS - 1)));
  }

  @ParameterizedTest
  @MethodSource("unitsAndKinds")
  void targetThatIsLostInMidWriteIsMadeByTheNameNode(String kind, int unit) throws Exception {
    SeededFile file = file(PARTIAL);
    HadoopDaemon lost = null;
    try {
      try (FileSystem fs = hdfs.client(kind);
          FSDataOutputStream out = fs.create(file.path())) {
        out.write(file.bytes(), 0, BEGUN);
        lost = hdfs.dataNode(file.path(), unit);
        lost.kill();
        out.write(file.bytes(), BEGUN, PARTIAL - BEGUN);
      }
      assertWrittenByAgent(file);
      hdfs.assertContent(file);
    } finally {
      if (lost != null) {
        lost.start(); // or others would be without it
      }
    }
    awaitParity();
    hdfs.awaitWhole(file.path());
    hdfs.assertContent(file);
    assertThat(hdfs.fsck(file.path())).contains("is HEALTHY");
  }

  /**
   * The DataNode of one of its blocks does not answer, so that this is not there before the agent
   * dies; and it is killed, too, or what it was asked would still be done.
   */
  @Test
  void parityOfADeadAgentIsMadeByTheNameNode() throws Exception {
    SeededFile file = file(PARTIAL);
    try (FileSystem fs = hdfs.client("deferred")) {
      FSDataOutputStream out = fs.create(file.path());
      out.write(file.bytes(), 0, BEGUN);
      HadoopDaemon late = hdfs.dataNode(file.path(), UNITS - 1);
      int said = hdfs.agent.log().length();
      StripedHdfs.signal(late, "-STOP");
      try {
        out.write(file.bytes(), BEGUN, PARTIAL - BEGUN);
        out.close();
        assertThat(hdfs.figure("groups_without_parity")).isEqualTo(1);
        assertThat(hdfs.figure("parity_lag_bytes")).isEqualTo(PARTIAL);
        await("the alarm")
            .atMost(PATIENCE)
            .until(() -> hdfs.agent.log().substring(said).contains("have no parity yet"));
      } finally {
        hdfs.agent.kill();
        late.kill();
        late.start();
        hdfs.restartAgent();
      }
    }
    hdfs.assertContent(file);
    hdfs.awaitWhole(file.path());
    hdfs.assertContent(file);
    assertThat(hdfs.fsck(file.path())).contains("is HEALTHY");
  }

  @Test
  void agentThatIsKilledInMidGroupLosesThatGroupAlone() throws Exception {
    SeededFile file = file(GROUP + 2 * STRIPE);
    try (FileSystem fs = hdfs.client("deferred")) {
      FSDataOutputStream out = fs.create(file.path());
      out.write(file.bytes(), 0, GROUP + BEGUN); // by when the first one is committed
      hdfs.agent.kill();
      assertThatThrownBy(
              () -> {
                out.write(file.bytes(), GROUP + BEGUN, 2 * STRIPE - BEGUN);
                out.close();
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is lost");
      assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    } finally {
      hdfs.restartAgent();
    }
    await().atMost(PATIENCE).until(() -> hdfs.stock.recoverLease(file.path()));
    hdfs.awaitWhole(file.path());
    hdfs.assertContent(new SeededFile(file.path(), file.range(0, GROUP)));
  }
}
