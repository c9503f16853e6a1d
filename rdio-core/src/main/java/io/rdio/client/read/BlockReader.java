// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Port of the data plane: one block, read at any offset. Bytes that a read hands out were read
 * under a lease that was valid before and after, and match their CRC where the client verifies
 * checksums; whoever calls need not know who held the device, or how.
 *
 * <p>Safe for any number of threads; {@link #close} may come at any time, and twice. A read that
 * cannot be served is refused with its reason, and the caller has stock HDFS read.
 */
public interface BlockReader extends AutoCloseable {
  /** Bytes that can be read: offsets {@code [0, length())}. */
  long length();

  /**
   * What reads have spent on looking for other replicas, some on opening their devices, in
   * nanoseconds: of the time of a read it is no part that says how fast its device is.
   */
  default long searchNanos() {
    return 0;
  }

  /** The device that carries the bytes at present: another one when another map was needed. */
  DeviceIdentity deviceIdentity();

  /**
   * Reads all of {@code [offset, offset + count)}, which must lie in the block.
   *
   * @throws FallbackException why RDIO could not; {@code target} may have been written to.
   *     ACCESSOR_CLOSED when closed meanwhile
   */
  void read(long offset, byte[] target, int at, int count) throws FallbackException;

  /**
   * The same to {@code [at, at + count)} of a buffer, whose position and limit stay as they are.
   *
   * @throws FallbackException as above
   */
  void read(long offset, ByteBuffer target, int at, int count) throws FallbackException;

  /**
   * A map by which bytes were read that do not match their checksum, while another one served the
   * read. Each is told once; null, at the cost of a volatile read, if there is none.
   */
  @Nullable FileMap takeSuspect();

  /**
   * Gives back what the reader holds. Reads of other threads end soon, with ACCESSOR_CLOSED or with
   * all of their bytes. Idempotent.
   */
  @Override
  void close();
}
