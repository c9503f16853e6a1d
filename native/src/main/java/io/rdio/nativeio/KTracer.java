// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The eBPF programs that see pages fall out of the page cache (BNEX, section 3.2): loading them,
 * telling them which devices count, and fetching the runs of pages that they saw. Nothing but the
 * calls of ktracer.h. One thread at a time may poll; all else is for any thread until the tracer is
 * closed. With the process all that it put into the kernel goes.
 *
 * <p>Call only where {@link BpfLibrary#availability} is available.
 */
public final class KTracer {
  /** Probe: tp_btf, or the classic tracepoint where the kernel refuses it. */
  public static final int BEST = 0;

  /** Probe: the tracepoint with the folio itself; tells clean pages of live files, and devices. */
  public static final int TP_BTF = 1;

  /** Probe: the tracepoint with its recorded fields only. */
  public static final int CLASSIC = 2;

  /** Kind of what is traced of a device: nothing. */
  public static final int NOTHING = 0;

  /** Kind: pages of the files of the file system on it. */
  public static final int FILES = 1;

  /** Kind: pages of the device itself, which its buffered readers leave. */
  public static final int RAW = 2;

  /** Devices that can be traced at a time. */
  public static final int DEVICES = 16;

  /** Bytes of a run, in native order: see ktracer.h in native/src/main/bpf. */
  public static final int RUN_BYTES = 32;

  private KTracer() {}

  /**
   * Loads and attaches the programs; nothing is traced yet.
   *
   * @param noReuse whether to leave out files that somebody marked FADV_NOREUSE
   * @return a handle
   * @throws IOException with what the kernel's verifier or libbpf said
   */
  public static native long open(int probe, boolean noReuse) throws IOException;

  /** {@link #TP_BTF} or {@link #CLASSIC}. */
  public static native int probe(long tracer);

  /** Whether it is noticed when extents of such a file system's files change. */
  public static native boolean watches(long tracer, String fsType);

  /** Whether the kernel tells of FADV_NOREUSE; it needs tracefs for that. */
  public static native boolean knowsNoReuse(long tracer);

  /**
   * Traces a device, or stops tracing it.
   *
   * @param slot 0 to {@link #DEVICES} - 1
   * @param device the kernel's number: major &lt;&lt; 20 | minor
   * @param kind {@link #NOTHING}, {@link #FILES} or {@link #RAW}
   * @return 0, or -EINVAL
   */
  public static native int trace(long tracer, int slot, int device, int kind);

  /**
   * Waits for runs, but no longer than told; then has the CPUs give up those that they hold back.
   *
   * @param runs a direct buffer for at least 8, filled from 0; others come with the next call
   * @return how many; or -errno
   */
  public static native int poll(long tracer, int timeoutMillis, ByteBuffer runs);

  /** Since it was opened: pages, runs, lost pages, lost runs, pages of FADV_NOREUSE files. */
  public static native long[] counts(long tracer);

  /**
   * Of each slot how often extents of its files were about to be freed or moved: ints in native
   * order, which the kernel goes on writing. Not to be touched once the tracer is closed.
   */
  public static native ByteBuffer epochs(long tracer);

  /** The slot in which a file's changes are counted. */
  public static native int epochSlot(int device, long inode);

  /** Bytes of a page of the page cache. */
  public static native int pageBytes();

  public static native void close(long tracer);
}
