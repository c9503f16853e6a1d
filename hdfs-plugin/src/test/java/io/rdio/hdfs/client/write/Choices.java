// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.hdfs.RdioConfigKeys;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;

/** A choice of clients whose clock the test sets. */
final class Choices {
  final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // its end comes soon, as it may
  final WriteCounters counters = new WriteCounters();
  final WriteChoice choice;

  Choices(RemoteBlocks remote, String... keysAndValues) {
    choice = new WriteChoice(WriteConfig.of(conf(keysAndValues)), remote, counters, nanos::get);
  }

  static Configuration conf(String... keysAndValues) {
    Configuration conf = new Configuration(false);
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      conf.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    return conf;
  }
}
