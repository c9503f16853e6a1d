// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.bench.client.DeviceLayout.Extent;
import io.rdio.bench.client.DeviceLayout.Extents;
import io.rdio.client.ReadGeometry;
import io.rdio.core.device.HugeBuffers;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.HugeMemory;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Straight from the device by O_DIRECT, without HDFS and without checksums: what the device can
 * give. The layout of the files must not change meanwhile.
 */
final class DeviceWay implements ReadWay {
  /** Of offsets, lengths and addresses: what the largest common logical block asks for. */
  static final int ALIGNMENT = 4096;

  private final DeviceLayout layout;
  private final int fd;
  private final Queue<ByteBuffer[]> spareBuffers = new ConcurrentLinkedQueue<>();

  DeviceWay(DeviceLayout layout) throws IOException {
    NativeAvailability library = NativeLibrary.availability();
    if (!library.isAvailable()) {
      throw new IOException("the raw device needs librdio: " + library.detail());
    }
    this.layout = layout;
    this.fd = check(DirectReader.open(layout.device()), "open of " + layout.device());
  }

  static int check(int result, String what) throws IOException {
    if (result < 0) {
      throw new IOException(what + ": " + Errno.text(result));
    }
    return result;
  }

  /**
   * A direct buffer that the device can be read to. Large ones are in huge pages, as RDIO's are: so
   * that the figures are the device's, however scattered the machine's memory is.
   */
  static ByteBuffer aligned(int bytes) {
    if (bytes >= ReadGeometry.WINDOW && NativeLibrary.availability().isAvailable()) {
      int pages = (bytes + HugeMemory.PAGE - 1) / HugeMemory.PAGE;
      ByteBuffer huge = HugeBuffers.allocate(pages * HugeMemory.PAGE);
      if (huge != null) {
        return huge.slice(0, bytes);
      }
    }
    // The slice is cut at both of its ends.
    ByteBuffer room = ByteBuffer.allocateDirect(bytes + 2 * ALIGNMENT);
    return room.alignedSlice(ALIGNMENT).slice(0, bytes);
  }

  private Extents extents(String file) throws IOException {
    Extents extents = layout.files().get(file);
    if (extents == null) {
      throw new IOException(file + " is not in the layout of " + layout.device());
    }
    return extents;
  }

  /** Always in pieces of 1 MiB, of which several are under way. */
  @Override
  public Stream stream(String file, int readBytes) throws IOException {
    return new DeviceStream(fd, extents(file), file, spareBuffers);
  }

  @Override
  public RandomFile open(String file) throws IOException {
    return new DeviceFile(fd, extents(file), file);
  }

  @Override
  public ByteBuffer buffer(int bytes) {
    return aligned(bytes);
  }

  @Override
  public long takeShortCircuitBytes() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    check(DirectReader.close(fd), "close of " + layout.device());
  }

  private record DeviceFile(int fd, Extents extents, String name) implements RandomFile {
    @Override
    public long length() {
      return extents.length();
    }

    @Override
    public void readFully(long position, ByteBuffer target) throws IOException {
      try {
        read(position, DirectReader.addressOf(target), target.limit());
      } finally {
        Reference.reachabilityFence(target);
      }
    }

    private void read(long position, long address, int length) throws IOException {
      int done = 0;
      for (int i = indexOf(position); done < length; i++) {
        Extent extent = extents.list().get(i);
        int count = (int) Math.min(length - done, extent.end() - position - done);
        long offset = extent.onDeviceOf(position + done);
        int result = DirectReader.pread(fd, address + done, count, offset);
        if (check(result, "read of " + name) != count) {
          throw new IOException("read of " + name + ": the device ends at " + (offset + result));
        }
        done += count;
      }
    }

    /** Of the extent that holds an offset of the file. */
    private int indexOf(long position) {
      int low = 0;
      int high = extents.list().size() - 1;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (extents.list().get(middle).end() <= position) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    @Override
    public void close() {}
  }
}
