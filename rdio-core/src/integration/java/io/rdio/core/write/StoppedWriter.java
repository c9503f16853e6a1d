// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.write;

import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.write.DeviceWriter;
import io.rdio.nativeio.write.SlotExtents;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A process that writes ones to a slot, by a library that stops it between look and submission. It
 * comes to its end only if it goes on in time.
 */
final class StoppedWriter {
  static final int UNIT = 4096;
  static final int PLACE = 1 << 20;

  private StoppedWriter() {}

  /**
   * The process.
   *
   * @param args the device, and the seconds until the lease is over
   */
  public static void main(String[] args) throws Exception {
    if (!NativeLibrary.availability().isAvailable()) {
      throw new IllegalStateException(NativeLibrary.availability().toString());
    }
    DeviceWriter writer = DeviceWriter.open(args[0]);
    ByteBuffer unit = ByteBuffer.allocateDirect(2 * UNIT).alignedSlice(UNIT);
    unit.limit(UNIT);
    long term = TimeUnit.SECONDS.toNanos(Integer.parseInt(args[1]));
    SlotExtents slot = new SlotExtents(new long[] {PLACE}, new long[] {UNIT}, UNIT);
    long lease = writer.lease(slot, DirectReader.bootTimeNanos() + term);
    writer.readStamps(lease, unit, UNIT);
    for (int i = 0; i < UNIT; i++) {
      unit.put(i, (byte) 1);
    }
    unit.flip();
    int result = writer.write(lease, 0, unit, false);
    writer.end(lease, term);
    writer.close();
    System.exit(result == 0 ? 0 : 3);
  }
}
