// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.maps;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** Counts the collections of this JVM from when it is made. Thread-safe. */
final class Pauses {
  private int count;
  private long totalMillis;
  private long longestMillis;

  Pauses() {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (collector instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener((notification, unused) -> add(notification), null, null);
      }
    }
  }

  private synchronized void add(Notification notification) {
    if (notification
        .getType()
        .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
      long millis =
          GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
              .getGcInfo()
              .getDuration();
      count++;
      totalMillis += millis;
      longestMillis = Math.max(longestMillis, millis);
    }
  }

  @Override
  public synchronized String toString() {
    return String.format(
        Locale.ROOT,
        "%d collections of %d ms together, the longest %d ms",
        count,
        totalMillis,
        longestMillis);
  }
}
