// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import org.jspecify.annotations.Nullable;

/** Whether a library of ours serves this JVM: from where, or why not and what to do. Immutable. */
public final class NativeAvailability {
  private final String library;
  private final boolean available;
  private final String detail;
  private final @Nullable Throwable cause;

  private NativeAvailability(
      String library, boolean available, String detail, @Nullable Throwable cause) {
    this.library = library;
    this.available = available;
    this.detail = detail;
    this.cause = cause;
  }

  static NativeAvailability loadedFrom(String library, String place) {
    return new NativeAvailability(library, true, "loaded from " + place, null);
  }

  static NativeAvailability unavailable(String library, String detail, @Nullable Throwable cause) {
    return new NativeAvailability(library, false, detail, cause);
  }

  /** True when the classes of the library may be called. */
  public boolean isAvailable() {
    return available;
  }

  /** Where the library was loaded from; or what failed, where, and how to fix it. */
  public String detail() {
    return detail;
  }

  /** What the JVM threw, if it threw. */
  public @Nullable Throwable cause() {
    return cause;
  }

  @Override
  public String toString() {
    return library + (available ? " " : " is not available: ") + detail;
  }
}
