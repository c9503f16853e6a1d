// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says why stock HDFS serves a read or a new file, or another way than the agent a read: loudly the
 * first time in ten minutes for each reason, then for debugging only, for the metrics count the
 * rest. Thread-safe.
 */
public final class FallbackLog {
  /** That of this JVM: what is told once is told for all readers. */
  public static final FallbackLog SHARED = new FallbackLog(FallbackLine.BY_STOCK);

  /** The same for files that are written. */
  public static final FallbackLog WRITES = new FallbackLog(FallbackLine.WRITTEN_BY_STOCK);

  private static final Logger LOG = LoggerFactory.getLogger(FallbackLog.class);
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final String byStock;
  private final Map<FallbackReason, AtomicLong> loudAgainAt = new EnumMap<>(FallbackReason.class);

  private FallbackLog(String byStock) {
    this.byStock = byStock;
    for (FallbackReason reason : FallbackReason.values()) {
      loudAgainAt.put(reason, new AtomicLong(System.nanoTime()));
    }
  }

  /** Logs why this file does not go by the device: a refusal, or an accident with its stack. */
  public void log(Throwable cause, String fileName) {
    FallbackException refusal = refusal(cause);
    if (refusal != null) {
      switch (refusal.reason().policy().loudness()) {
        case ROUTINE:
          LOG.debug(FallbackLine.QUIET, byStock, fileName, refusal.getMessage());
          break;
        case NOTEWORTHY:
          refused(byStock, refusal, fileName);
          break;
        case ALARMING:
          failed(refusal.reason(), cause, fileName);
          break;
      }
    } else {
      failed(FallbackReason.INTERNAL_ERROR, cause, fileName);
    }
  }

  /** What a way that failed is counted as. */
  public static FallbackReason reasonOf(Throwable cause) {
    FallbackException refusal = refusal(cause);
    return refusal == null ? FallbackReason.INTERNAL_ERROR : refusal.reason();
  }

  /** Null for an accident. */
  private static @Nullable FallbackException refusal(Throwable cause) {
    return cause instanceof FallbackException
        ? (FallbackException) cause
        : UnknownHadoop.refusal(cause);
  }

  /** Logs why the agent does not read this file, which the next way does, whatever that is. */
  public void turnedAway(FallbackException refusal, String fileName) {
    refused(FallbackLine.BY_NEXT_WAY, refusal, fileName);
  }

  private void refused(String whoReads, FallbackException refusal, String fileName) {
    if (isTimeToBeLoud(refusal.reason())) {
      LOG.warn(FallbackLine.refused(whoReads, refusal, fileName));
    } else {
      LOG.debug(FallbackLine.QUIET, whoReads, fileName, refusal.getMessage());
    }
  }

  private void failed(FallbackReason reason, Throwable error, String fileName) {
    if (isTimeToBeLoud(reason)) {
      LOG.error(FallbackLine.failed(byStock, reason, fileName), error);
    } else {
      String detail =
          error instanceof FallbackException
              ? ((FallbackException) error).detail()
              : error.toString();
      String message = reason + ": " + detail;
      LOG.debug(FallbackLine.QUIET, byStock, fileName, message, error);
    }
  }

  private boolean isTimeToBeLoud(FallbackReason reason) {
    AtomicLong at = loudAgainAt.get(reason);
    long now = System.nanoTime();
    long due = at == null ? now : at.get();
    return at != null && now - due >= 0 && at.compareAndSet(due, now + QUIET_NANOS);
  }
}
