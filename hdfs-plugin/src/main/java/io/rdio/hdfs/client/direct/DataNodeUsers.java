// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rdio.hdfs.ConfigKey;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/** The numbers of the users that DataNodes run as. */
final class DataNodeUsers {
  private static final int PATIENCE_SECONDS = 10;

  private DataNodeUsers() {}

  /**
   * Those that a configuration names. The default counts only where this host knows it; root is
   * believed anyway.
   *
   * @throws IllegalArgumentException for a name that was written and is not known here
   */
  static Set<Integer> numbers(Configuration conf) {
    ConfigKey<List<String>> key = RdioConfigKeys.CLIENT_METADATA_PLANE_OWNERS;
    Set<Integer> numbers = new HashSet<>();
    for (String user : key.get(conf)) {
      OptionalInt number = number(user);
      if (number.isPresent()) {
        numbers.add(number.getAsInt());
      } else if (key.isSet(conf)) {
        throw key.wrong(user, "numbers of users, or names that 'id -u NAME' knows", null);
      }
    }
    return numbers;
  }

  private static OptionalInt number(String user) {
    return user.matches("[0-9]{1,9}") ? OptionalInt.of(Integer.parseInt(user)) : lookUp(user);
  }

  // By the C library, for users are in directories as well as in files.
  private static OptionalInt lookUp(String name) {
    try {
      Process id =
          new ProcessBuilder("id", "-u", "--", name)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      id.getOutputStream().close();
      if (!id.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) { // a directory service that hangs
        id.destroyForcibly();
        return OptionalInt.empty();
      }
      String answer = new String(id.getInputStream().readAllBytes(), US_ASCII).trim();
      return id.exitValue() == 0 && answer.matches("[0-9]{1,9}")
          ? OptionalInt.of(Integer.parseInt(answer))
          : OptionalInt.empty();
    } catch (IOException e) {
      return OptionalInt.empty(); // there is no such program
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalInt.empty();
    }
  }
}
