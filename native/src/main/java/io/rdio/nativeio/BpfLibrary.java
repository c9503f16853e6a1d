// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

/**
 * Loads librdio_bpf, which has the eBPF programs of {@code rdio ktrace} and {@code rdio prefcache},
 * once for this class loader and in the ways of {@link NativeLibrary}. Never loaded by the JVMs of
 * Hadoop.
 */
public final class BpfLibrary {
  /** System property: a librdio_bpf.so to load instead of any other. */
  public static final String PATH_PROPERTY = "rdio.bpf.path";

  /** Must equal RDIO_BPF_INTERFACE_VERSION in bpf_tables.h. */
  static final int INTERFACE_VERSION = 1;

  // No static initializer: JNI_OnLoad initializes this class while the library is being loaded.
  private BpfLibrary() {}

  /** Loads the library at the first call; always the same answer. Thread-safe. */
  public static NativeAvailability availability() {
    return Loaded.AVAILABILITY;
  }

  private static final class Loaded {
    static final NativeAvailability AVAILABILITY =
        new NativeLibrary(
                new NativeLibrary.Binding(
                    "librdio_bpf", PATH_PROPERTY, INTERFACE_VERSION, BpfLibrary::interfaceVersion),
                System::getProperty)
            .load();
  }

  private static native int interfaceVersion();
}
