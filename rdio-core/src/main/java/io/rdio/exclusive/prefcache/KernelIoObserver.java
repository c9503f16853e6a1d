// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.rdio.nativeio.BpfLibrary;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.RequestObserver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** By eBPF: see ioobserver.bpf.c. For one thread at a time, but for {@link #lost}. */
public final class KernelIoObserver implements IoObserver {
  private static final int SECTOR_BYTES = 512;
  private static final int REQUESTS = 4096;
  private static final int SECTORS_AT = 8;
  private static final int SLOT_AT = 12;
  private static final int WRITE_AT = 14;

  private final ByteBuffer requests =
      ByteBuffer.allocateDirect(REQUESTS * RequestObserver.REQUEST_BYTES)
          .order(ByteOrder.nativeOrder());
  private final List<StorageDevice> devices;
  private final long handle;
  private boolean closed;
  private volatile long lost;

  /**
   * Observes from now on.
   *
   * @param devices at most {@link RequestObserver#DEVICES}
   * @throws IOException with what to do, if this kernel or this user may not
   */
  public KernelIoObserver(List<StorageDevice> devices) throws IOException {
    NativeAvailability library = BpfLibrary.availability();
    if (!library.isAvailable()) {
      throw new IOException("librdio_bpf: " + library.detail());
    }
    if (devices.size() > RequestObserver.DEVICES) {
      throw new IOException(
          devices.size() + " devices: at most " + RequestObserver.DEVICES + " can be observed");
    }
    this.devices = List.copyOf(devices);
    handle = RequestObserver.open();
    for (int slot = 0; slot < devices.size(); slot++) {
      RequestObserver.observe(handle, slot, devices.get(slot).kernelNumber());
    }
  }

  @Override
  public int poll(int timeoutMillis, Listener listener) throws IOException {
    int count = RequestObserver.poll(handle, timeoutMillis, requests);
    lost = RequestObserver.lost(handle);
    if (count < 0) {
      throw new IOException("PrefCache cannot see requests any more: " + Errno.text(count));
    }
    for (int i = 0; i < count; i++) {
      tell(i * RequestObserver.REQUEST_BYTES, listener);
    }
    return count;
  }

  private void tell(int at, Listener listener) {
    int device = devices.get(requests.getShort(at + SLOT_AT)).number();
    long offset = requests.getLong(at) * SECTOR_BYTES;
    long bytes = Integer.toUnsignedLong(requests.getInt(at + SECTORS_AT)) * SECTOR_BYTES;
    if (requests.getShort(at + WRITE_AT) == 0) {
      listener.read(device, offset, bytes);
    } else {
      listener.written(device, offset, bytes);
    }
  }

  @Override
  public long lost() {
    return lost;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      RequestObserver.close(handle);
    }
  }
}
