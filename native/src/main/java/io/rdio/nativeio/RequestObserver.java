// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The eBPF program that sees block devices complete requests: PrefCache's view of what compute
 * nodes read and write. Nothing but the calls of ioobserver.h; a handle is for one thread at a
 * time. With the process all that it put into the kernel goes.
 *
 * <p>Call only where {@link BpfLibrary#availability} is available.
 */
public final class RequestObserver {
  /** Devices that can be observed at a time. */
  public static final int DEVICES = 16;

  /** Bytes of a request, in native order: see ioobserver.h in native/src/main/bpf. */
  public static final int REQUEST_BYTES = 16;

  private RequestObserver() {}

  /**
   * Loads and attaches the program; nothing is observed yet.
   *
   * @return a handle
   * @throws IOException with what the kernel's verifier or libbpf said
   */
  public static native long open() throws IOException;

  /**
   * Observes a whole disk, or stops observing what was in the slot.
   *
   * @param slot 0 to {@link #DEVICES} - 1
   * @param device the kernel's number: major &lt;&lt; 20 | minor; 0 for none
   * @return 0, or -EINVAL
   */
  public static native int observe(long observer, int slot, int device);

  /**
   * Fetches completed requests; waits no longer than told for many.
   *
   * @param requests a direct buffer, filled from 0 with as many as fit; others come with the next
   *     call
   * @return how many; or -errno
   */
  public static native int poll(long observer, int timeoutMillis, ByteBuffer requests);

  /** Requests that could not be told of since it was opened. */
  public static native long lost(long observer);

  public static native void close(long observer);
}
