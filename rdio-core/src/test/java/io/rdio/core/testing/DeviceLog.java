// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a device was told, in its order, by whichever way to it: writes, flushes, and between them
 * marks of a test. {@link ReplayedCache} says what is left of it behind a loss of power.
 * Thread-safe.
 */
public final class DeviceLog {
  @GuardedBy("this")
  private final List<Entry> entries = new ArrayList<>();

  @GuardedBy("this")
  private boolean isOn;

  /** One of what the log has. */
  public sealed interface Entry permits Write, Flush, Mark {}

  /**
   * Bytes that the device was sent.
   *
   * @param way by which it was
   */
  public record Write(String way, long offset, ByteBuffer bytes) implements Entry {}

  /** A flush that came by a way. */
  public record Flush(String way) implements Entry {}

  /** Something that a test wants to know of: what came before it was done. */
  public record Mark(String what) implements Entry {}

  /** From now on all is noted, behind what there is by now. */
  public synchronized void begin() {
    isOn = true;
  }

  /** Nothing more is noted. */
  public synchronized void end() {
    isOn = false;
  }

  public void mark(String what) {
    add(new Mark(what));
  }

  private synchronized void add(Entry entry) {
    if (isOn) {
      entries.add(entry);
    }
  }

  /** What it has by now. */
  public synchronized List<Entry> entries() {
    return List.copyOf(entries);
  }

  /** Notes what comes by a way, which is that of one {@link HangingFile}. */
  public HangingFile.WriteQueue by(String way) {
    return new HangingFile.WriteQueue() {
      @Override
      public boolean holds(Runnable write) {
        return false;
      }

      @Override
      public void done(Runnable again) {}

      @Override
      public void begins(long offset, ByteBuffer bytes) {
        add(new Write(way, offset, bytes));
      }

      @Override
      public void flushes() {
        add(new Flush(way));
      }
    };
  }
}
