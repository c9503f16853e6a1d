// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import com.google.common.base.Throwables;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.apache.log4j.spi.ThrowableInformation;

/**
 * Whether RDIO's code made a stream think ill of a DataNode: DFSInputStream logs each exception
 * that it holds a DataNode responsible for.
 */
final class SoakBlame extends AppenderSkeleton {
  private static final AtomicLong COUNT = new AtomicLong();

  private SoakBlame() {}

  /** Counts from now on, in this JVM. */
  static void watch() {
    Logger.getLogger(DFSClient.class).addAppender(new SoakBlame());
  }

  /** How often until now. */
  static long count() {
    return COUNT.get();
  }

  /** Whether an exception came out of RDIO's own code. */
  static boolean isOfRdio(Throwable failure) {
    String tests = SoakBlame.class.getPackageName() + ".";
    return Throwables.getCausalChain(failure).stream()
        .flatMap(cause -> Arrays.stream(cause.getStackTrace()))
        .map(StackTraceElement::getClassName)
        .anyMatch(name -> name.startsWith("io.rdio.") && !name.startsWith(tests));
  }

  @Override
  protected void append(LoggingEvent event) {
    ThrowableInformation information = event.getThrowableInformation();
    if (information != null && isOfRdio(information.getThrowable())) {
      COUNT.incrementAndGet();
    }
  }

  @Override
  public void close() {}

  @Override
  public boolean requiresLayout() {
    return false;
  }
}
