// SPDX-License-Identifier: Apache-2.0
package io.rdio.upstream;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Holds a test whose cluster its set-up has just started until each DataNode has slots. Most tests
 * of erasure coding write one file to a cluster of their own, at once, and a group takes a slot of
 * each of its DataNodes: else it would be stock HDFS's.
 *
 * <p>Found by JUnit where the site's folder names it. A test whose DataNodes have no volume for
 * slots, as simulated ones, or whose slots do not come, begins all the same.
 */
public final class AwaitSlots implements BeforeTestExecutionCallback {
  /** Of a DataNode, which has two volumes: so many that neither of them can be without. */
  private static final int SLOTS = 12;

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** In which a DataNode has opened a volume, if it has one. */
  private static final Duration OPENING = Duration.ofSeconds(5);

  private static final long LOOK_MILLIS = 100;

  private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();

  public AwaitSlots() {}

  @Override
  public void beforeTestExecution(ExtensionContext test)
      throws MalformedObjectNameException, InterruptedException {
    ObjectName any = new ObjectName("Hadoop:service=DataNode,name=RdioDataNode-*");
    Set<ObjectName> dataNodes = beans.queryNames(any, null);
    long began = System.nanoTime();
    while (dataNodes.stream().anyMatch(each -> isShort(each, System.nanoTime() - began))) {
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /**
   * @param nanos for which it has been waited
   */
  private boolean isShort(ObjectName dataNode, long nanos) {
    boolean mayOpen = nanos < OPENING.toNanos() || figure(dataNode, "WriteVolumesServed") > 0;
    return mayOpen && nanos < PATIENCE.toNanos() && figure(dataNode, "SlotsFree") < SLOTS;
  }

  /** 0 where it is not there yet. */
  private long figure(ObjectName dataNode, String name) {
    try {
      return ((Number) beans.getAttribute(dataNode, name)).longValue();
    } catch (JMException e) {
      return 0;
    }
  }
}
