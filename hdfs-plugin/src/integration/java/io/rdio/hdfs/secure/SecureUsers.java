// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.secure;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.JvmCounters;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.it.ReadOnce;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;

/** Users of a Kerberized cluster, all in one JVM of its own, in which nobody else is logged in. */
final class SecureUsers {
  static final int LENGTH = 2_500_123;
  private static final String MARK = "SECURE ";
  private static final java.nio.file.Path ERRORS =
      java.nio.file.Path.of("target", "secure-users.err");

  private final Configuration conf = new Configuration();
  private final String keytab;
  private final Map<String, UserGroupInformation> users = new HashMap<>();

  /**
   * What came of one action.
   *
   * @param outcome the CRC32C of what was read, else the simple name of an exception
   */
  record Result(String outcome, long rdioBytes, long agentBytes, String reasons) {
    private static Result parse(String line) {
      String[] fields = line.split(" ", -1);
      return new Result(fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]), fields[3]);
    }
  }

  @FunctionalInterface
  private interface Action {
    String run(FileSystem fs) throws IOException, InterruptedException;
  }

  private SecureUsers(String keytab) {
    this.keytab = keytab;
    UserGroupInformation.setConfiguration(conf);
  }

  /** The content of a file that {@code write} writes. */
  static byte[] content(String path) {
    return SeededFile.random(LENGTH, path.hashCode());
  }

  /**
   * Does one thing after the other.
   *
   * @param actions {@code PRINCIPAL VERB PATH}: {@code folder} makes one that all may write to,
   *     {@code write} a file that only its owner may read, {@code read} reads one, {@code tokens}
   *     reads it three times: with a new delegation token; with one that was renewed, when it would
   *     be over but for that; and when it is over
   * @return for each action, and for {@code tokens} for each time, what came of it
   */
  static List<Result> run(
      Cluster cluster, java.nio.file.Path conf, KdcProcess kdc, String... actions)
      throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add(SecureUsers.class.getName());
    arguments.add(kdc.keytab().toString());
    Collections.addAll(arguments, actions);
    Process child =
        cluster
            .jvm(conf, List.of("-Xmx256m"), arguments.toArray(String[]::new))
            .redirectError(ERRORS.toFile())
            .start();
    cluster.killLater(child);
    ProcessEnd end = ProcessEnd.of(child, "what the users do");
    if (end.status() != 0) {
      throw new IOException(end + "; see " + ERRORS);
    }
    return end.output()
        .lines()
        .filter(line -> line.startsWith(MARK))
        .map(line -> Result.parse(line.substring(MARK.length())))
        .toList();
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    SecureUsers users = new SecureUsers(args[0]);
    for (int i = 1; i < args.length; i++) {
      String[] words = args[i].split(" ", -1);
      users.act(words[0], words[1], new Path(words[2]));
    }
  }

  private void act(String principal, String verb, Path path)
      throws IOException, InterruptedException {
    switch (verb) {
      case "folder" ->
          tell(
              user(principal),
              fs -> {
                fs.mkdirs(path);
                fs.setPermission(path, new FsPermission((short) 0777));
                return "made";
              });
      case "write" ->
          tell(
              user(principal),
              fs -> {
                SeededFile.write(fs, path.toString(), LENGTH, path.toString().hashCode());
                fs.setPermission(path, new FsPermission((short) 0600));
                return "written";
              });
      case "read" -> tell(user(principal), fs -> read(fs, path));
      case "tokens" -> useTokens(user(principal), path);
      default -> throw new IllegalArgumentException(verb);
    }
  }

  private UserGroupInformation user(String principal) throws IOException {
    UserGroupInformation user = users.get(principal);
    if (user == null) {
      user = UserGroupInformation.loginUserFromKeytabAndReturnUGI(principal, keytab);
      users.put(principal, user);
    }
    return user;
  }

  private static String read(FileSystem fs, Path path) throws IOException {
    try (FSDataInputStream in = fs.open(path)) {
      return Long.toString(ReadOnce.crcOf(in.readAllBytes()));
    }
  }

  private void tell(UserGroupInformation user, Action action)
      throws IOException, InterruptedException {
    ClientCounters counters = JvmCounters.READS;
    long rdio = counters.rdioBytes.sum();
    long agent = counters.agentBytes.sum();
    Map<FallbackReason, Long> reasons = new EnumMap<>(FallbackReason.class);
    for (FallbackReason reason : FallbackReason.values()) {
      reasons.put(reason, counters.fallbacks(reason));
    }
    String outcome;
    try {
      outcome = as(user, action);
    } catch (IOException e) {
      e.printStackTrace(); // to the file that a failed test names
      outcome = nameOf(e);
    }
    reasons.replaceAll((reason, before) -> counters.fallbacks(reason) - before);
    reasons.values().removeIf(count -> count == 0);
    System.out.println(
        MARK
            + outcome
            + " "
            + (counters.rdioBytes.sum() - rdio)
            + " "
            + (counters.agentBytes.sum() - agent)
            + " "
            + reasons.toString().replace(" ", ""));
  }

  /** Without package and outer class; of what a NameNode threw, its own name. */
  private static String nameOf(IOException e) {
    String name =
        e instanceof RemoteException remote ? remote.getClassName() : e.getClass().getName();
    return name.replaceFirst(".*[.$]", "");
  }

  private String as(UserGroupInformation user, Action action)
      throws IOException, InterruptedException {
    return user.doAs(
        (PrivilegedExceptionAction<String>)
            () -> {
              try (FileSystem fs = FileSystem.newInstance(conf)) {
                return action.run(fs);
              }
            });
  }

  private void useTokens(UserGroupInformation owner, Path path)
      throws IOException, InterruptedException {
    Token<?>[] made = new Token<?>[1];
    as(
        owner,
        fs -> {
          made[0] = fs.getDelegationToken(owner.getShortUserName());
          return "";
        });
    long over =
        System.currentTimeMillis()
            + conf.getLong("dfs.namenode.delegation.token.renew-interval", 0);
    tell(bearer(owner, made[0]), fs -> read(fs, path));
    long[] newlyOver = new long[1];
    as(
        owner,
        fs -> {
          newlyOver[0] = made[0].renew(conf);
          return "";
        });
    awaitTime(over);
    tell(bearer(owner, made[0]), fs -> read(fs, path));
    awaitTime(newlyOver[0]);
    tell(bearer(owner, made[0]), fs -> read(fs, path));
  }

  /** Somebody who has nothing but this token: a task of the owner's job. */
  private static UserGroupInformation bearer(UserGroupInformation owner, Token<?> token) {
    UserGroupInformation bearer = UserGroupInformation.createRemoteUser(owner.getShortUserName());
    bearer.addToken(token);
    return bearer;
  }

  /** The NameNode's clock is this machine's. */
  private static void awaitTime(long millis) {
    for (long left = 1; left > 0; left = millis + 100 - System.currentTimeMillis()) {
      LockSupport.parkNanos(Duration.ofMillis(left).toNanos());
    }
  }
}
