// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.testing.LoopFileSystem;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.datanode.UsersOfNameNode.Asked;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.Closeable;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several users in one client JVM, as in a server that reads on their behalf, with block tokens:
 * each reads by RDIO what the NameNode lets it read and nothing else, although all share one
 * FileMap cache, and RDIO asks the NameNode as the user whose read it is.
 */
@Tag("loop")
final class SeveralUsersIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LENGTH = 9_000_123;
  private static final int FIRST_PART = 1_000_000;

  private static final Map<String, String> AUTHORIZED =
      Map.of(
          "dfs.block.access.token.enable",
          "true",
          "dfs.namenode.inode.attributes.provider.class",
          PathAuthorizer.class.getName());

  @TempDir java.nio.file.Path nameDirectory;

  /** In the reader's own thread, or behind stock HDFS in threads of RDIO's. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "256k"})
  void eachReadsItsOwn(String firstBytes) throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs =
            new InJvmHdfs(
                volume,
                nameDirectory,
                Map.of(
                    "dfs.block.access.token.enable",
                    "true",
                    "dfs.namenode.audit.loggers",
                    UsersOfNameNode.class.getName()))) {
      hdfs.fileSystem.setPermission(new Path("/"), new FsPermission((short) 0777));
      Configuration conf = hdfs.rdioConf();
      conf.set(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), firstBytes);
      conf.set(RdioConfigKeys.CLIENT_LOCATIONS.name(), "namenode");
      try (User alice = new User("alice", conf, ReadMode.DIRECT);
          User bob = new User("bob", conf, ReadMode.DIRECT);
          RdioClientContext shared = RdioClientContext.get(alice.fs.getConf())) {
        assertThat(RdioClientContext.get(bob.fs.getConf())).isSameAs(shared);
        SeededFile hers = alice.as(() -> writePrivate(alice.fs, "/alice", 1));
        SeededFile his = bob.as(() -> writePrivate(bob.fs, "/bob", 2));
        alice.readByRdio(hers);
        bob.readByRdio(his);

        assertRefused(bob, hers);
        assertRefused(alice, his);
        assertThat(UsersOfNameNode.asked())
            .contains(new Asked("bob", "/alice", false), new Asked("alice", "/bob", false));
        assertAskedAs("alice", "/alice");
        assertAskedAs("bob", "/bob");
        alice.readByRdio(hers);
      }
    }
  }

  /**
   * What the permissions allow and an authorizer at the NameNode denies, as Apache Ranger does,
   * RDIO does not give away: not what another user of this JVM has read, whose map and grant are at
   * hand.
   */
  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void authorizerOfTheNameNodeHasTheLastWord(ReadMode mode) throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, AUTHORIZED)) {
      Configuration conf = hdfs.rdioConf();
      conf.set(RdioConfigKeys.CLIENT_LOCATIONS.name(), "namenode");
      SeededFile file = SeededFile.write(hdfs.fileSystem, "/policy", LENGTH, 1);
      try (Closeable agent = mode == ReadMode.BY_AGENT ? JvmAgent.start(conf) : () -> {};
          User stock = new User("bob", hdfs.fileSystem.getConf(), mode);
          User alice = new User("alice", conf, mode);
          User bob = new User("bob", conf, mode);
          RdioClientContext shared = RdioClientContext.get(alice.fs.getConf())) {
        assertThat(List.of(agent, shared)).doesNotContainNull();
        bob.readByRdio(file);
        alice.readByRdio(file);
        try (FSDataInputStream open = bob.as(() -> bob.fs.open(file.path()))) {
          file.check(0, bob.as(() -> open.readNBytes(FIRST_PART)));
          PathAuthorizer.deny("bob", "/policy");
          assertDeniedAlike(stock, bob, file);
          alice.readByRdio(file);
          assertDeniedAlike(stock, bob, file);
          file.check(FIRST_PART, bob.as(() -> open.readNBytes(LENGTH - FIRST_PART)));
        }
      }
    }
  }

  private static void assertDeniedAlike(User stock, User user, SeededFile file) {
    String said = refusal(user, file);
    assertThat(said)
        .isEqualTo(refusal(stock, file))
        .contains(PathAuthorizer.refusal("bob", file.path().toString()));
  }

  /** A user with a client of its own. */
  private static final class User implements AutoCloseable {
    private final UserGroupInformation user;
    private final ReadMode mode;
    private final FileSystem fs;

    User(String name, Configuration conf, ReadMode mode) throws IOException, InterruptedException {
      this.mode = mode;
      user = UserGroupInformation.createRemoteUser(name);
      fs = as(() -> FileSystem.newInstance(conf));
    }

    <T> T as(PrivilegedExceptionAction<T> action) throws IOException, InterruptedException {
      return user.doAs(action);
    }

    void readByRdio(SeededFile file) throws IOException, InterruptedException {
      as(
          () -> {
            Counts.awaitRead(mode, fs, file, PATIENCE);
            return file;
          });
    }

    @Override
    public void close() throws IOException {
      fs.close();
    }
  }

  private static SeededFile writePrivate(FileSystem fs, String path, long seed) throws IOException {
    SeededFile file = SeededFile.write(fs, path, LENGTH, seed);
    fs.setPermission(file.path(), new FsPermission((short) 0600));
    return file;
  }

  private static void assertRefused(User user, SeededFile file) {
    assertThat(refusal(user, file)).contains("Permission denied");
  }

  /** What a user is told, in one line, who gets no byte of a file. */
  private static String refusal(User user, SeededFile file) {
    Counts counts = Counts.of(user.mode);
    long before = counts.rdioBytes();
    AccessControlException refused =
        catchThrowableOfType(
            AccessControlException.class,
            () ->
                user.as(
                    () -> {
                      try (FSDataInputStream in = user.fs.open(file.path())) {
                        return in.read();
                      }
                    }));
    assertThat(refused).as("what " + user.user + " is told").isNotNull();
    assertThat(counts.rdioBytes()).isEqualTo(before);
    return String.valueOf(refused.getMessage()).lines().findFirst().orElseThrow();
  }

  /** The stream's own question, and at least one of RDIO's; nobody else was let have an answer. */
  private static void assertAskedAs(String user, String file) {
    assertThat(UsersOfNameNode.asked())
        .filteredOn(asked -> asked.file().equals(file) && asked.allowed())
        .hasSizeGreaterThanOrEqualTo(2)
        .allMatch(asked -> asked.user().equals(user));
  }
}
