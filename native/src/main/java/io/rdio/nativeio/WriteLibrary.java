// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

/**
 * Loads librdio-write, which can write to devices, once for this class loader and in the ways of
 * {@link NativeLibrary}. Only agents that write load it: what only reads has no such code.
 */
public final class WriteLibrary {
  /** System property: a librdio-write.so to load instead of any other. */
  public static final String PATH_PROPERTY = "rdio.write.path";

  /** Must equal RDIO_WRITE_INTERFACE_VERSION in write_tables.h. */
  static final int INTERFACE_VERSION = 1;

  // No static initializer: JNI_OnLoad initializes this class while the library is being loaded.
  private WriteLibrary() {}

  /** Loads the library at the first call; always the same answer. Thread-safe. */
  public static NativeAvailability availability() {
    return Loaded.AVAILABILITY;
  }

  private static final class Loaded {
    static final NativeAvailability AVAILABILITY =
        new NativeLibrary(
                new NativeLibrary.Binding(
                    "librdio-write",
                    PATH_PROPERTY,
                    INTERFACE_VERSION,
                    WriteLibrary::interfaceVersion),
                System::getProperty)
            .load();
  }

  private static native int interfaceVersion();
}
