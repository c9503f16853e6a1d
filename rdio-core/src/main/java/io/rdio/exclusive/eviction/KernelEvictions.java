// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.nativeio.BpfLibrary;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.KTracer;
import io.rdio.nativeio.NativeAvailability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the kernel's page cache lets go of for want of memory, by {@link KTracer}'s programs. Loaded
 * when it is made; nothing of it is in the kernel any more when it is closed, or its process has
 * ended in whatever way. Thread-safe.
 */
public final class KernelEvictions implements EvictionSource {
  private static final Logger LOG = LoggerFactory.getLogger(KernelEvictions.class);

  /** How long a run may grow, and so how late it may come. */
  private static final int FLUSH_MILLIS = 100;

  private static final int RUNS_PER_POLL = 4096;

  private final long tracer;
  private final ExtentEpochs.Kernel epochs;
  private final int probe;
  private final long pageBytes;

  @GuardedBy("this")
  private final Map<Integer, Integer> indexOfDevice = new LinkedHashMap<>();

  @GuardedBy("this")
  private @Nullable Thread poller;

  private volatile boolean stopped;

  @GuardedBy("this")
  private boolean closed;

  /** How to probe; see {@link KTracer}. */
  public enum Probe {
    /** tp_btf, or else the classic tracepoint. */
    BEST(KTracer.BEST),
    /** With all that is to be known of a page. */
    TP_BTF(KTracer.TP_BTF),
    /** With what the classic tracepoint records: ext4 only, no raw devices. */
    CLASSIC(KTracer.CLASSIC);

    private final int number;

    Probe(int number) {
      this.number = number;
    }
  }

  /**
   * Loads the programs.
   *
   * @param noReuse whether to leave out files that somebody marked FADV_NOREUSE
   * @throws IOException if the kernel does not let us, with what is missing
   */
  public KernelEvictions(Probe probe, boolean noReuse) throws IOException {
    NativeAvailability library = BpfLibrary.availability();
    if (!library.isAvailable()) {
      throw new IOException(library.toString(), library.cause());
    }
    tracer = KTracer.open(probe.number, noReuse);
    this.probe = KTracer.probe(tracer);
    pageBytes = KTracer.pageBytes();
    epochs = new ExtentEpochs.Kernel(KTracer.epochs(tracer));
  }

  /** Those of the files that are traced. Not to be asked any more when this is closed. */
  public ExtentEpochs epochs() {
    return epochs;
  }

  /** How it probes. */
  public Probe probe() {
    return probe == KTracer.CLASSIC ? Probe.CLASSIC : Probe.TP_BTF;
  }

  /** Whether FADV_NOREUSE is noticed. */
  public synchronized boolean knowsNoReuse() {
    return !closed && KTracer.knowsNoReuse(tracer);
  }

  /** Why the files of a type of file system cannot be traced here; "" if they can. */
  public synchronized String whyNot(String fsType) {
    if (closed || !KTracer.watches(tracer, fsType)) {
      return "this kernel does not tell when extents of " + fsType + " change";
    }
    return probe == KTracer.CLASSIC && fsType.equals("xfs")
        ? "the classic tracepoint does not tell an inode's generation, without which xfs opens none"
        : "";
  }

  @Override
  public synchronized void traced(int index, TracedDevice device) {
    if (closed || device.view().isEmpty()) {
      return;
    }
    String obstacle = device.mount().map(mount -> whyNot(mount.fsType())).orElse("");
    if (!obstacle.isEmpty()) {
      LOG.warn("RDIO: KTracer leaves out {}: {}", device, obstacle);
      return;
    }
    int kernelDevice = device.view().get().kernelDevice();
    indexOfDevice.put(kernelDevice, index);
    KTracer.trace(
        tracer, index, kernelDevice, device.mount().isPresent() ? KTracer.FILES : KTracer.RAW);
    LOG.info("RDIO: KTracer traces {}", device);
  }

  @Override
  public synchronized void untraced(int index) {
    if (!closed && indexOfDevice.values().remove(index)) {
      KTracer.trace(tracer, index, 0, KTracer.NOTHING);
    }
  }

  @Override
  public synchronized void start(Listener listener) {
    poller = DaemonThreads.daemon("rdio-ktracer", () -> poll(listener));
    poller.start();
  }

  private void poll(Listener listener) {
    ByteBuffer runs =
        ByteBuffer.allocateDirect(RUNS_PER_POLL * KTracer.RUN_BYTES).order(ByteOrder.nativeOrder());
    while (!stopped) {
      int count = KTracer.poll(tracer, FLUSH_MILLIS, runs);
      if (count < 0) {
        LOG.error("RDIO: KTracer ends: the ring buffer cannot be read: {}", Errno.text(count));
        return;
      }
      for (int i = 0; i < count; i++) {
        tell(runs, i * KTracer.RUN_BYTES, listener);
      }
    }
  }

  private void tell(ByteBuffer runs, int at, Listener listener) {
    Integer index;
    synchronized (this) {
      index = indexOfDevice.get(runs.getInt(at + 24));
    }
    if (index == null) {
      return; // not traced any more
    }
    long inode = runs.getLong(at);
    long offset = runs.getLong(at + 8) * pageBytes;
    long bytes = Integer.toUnsignedLong(runs.getInt(at + 16)) * pageBytes;
    listener.evicted(
        runs.getInt(at + 28) == KTracer.RAW
            ? new Eviction.OfDevice(index, offset, bytes)
            : new Eviction.OfFile(index, inode, runs.getInt(at + 20), offset, bytes));
  }

  /** What the programs count: pages and runs, lost ones, and those of FADV_NOREUSE files. */
  public synchronized Map<String, Long> counts() {
    Map<String, Long> values = new LinkedHashMap<>();
    if (!closed) {
      long[] counts = KTracer.counts(tracer);
      values.put("kernel_pages", counts[0]);
      values.put("kernel_runs", counts[1]);
      values.put("kernel_lost_pages", counts[2]);
      values.put("kernel_lost_runs", counts[3]);
      values.put("noreuse_pages", counts[4]);
    }
    return values;
  }

  @Override
  public void close() {
    stopped = true;
    Thread polling;
    synchronized (this) {
      polling = poller;
      poller = null;
    }
    boolean interrupted = false;
    while (polling != null && polling.isAlive()) {
      try {
        polling.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      if (!closed) {
        closed = true;
        KTracer.close(tracer);
      }
    }
  }
}
