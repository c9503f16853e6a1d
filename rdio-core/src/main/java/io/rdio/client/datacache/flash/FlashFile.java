// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file of a fixed size that one flash tier has to itself. Reads are safe for any number of
 * threads, beside one that writes; a read beside a write of the same bytes may have some of both.
 *
 * <p>Offsets, lengths and addresses of buffers are multiples of {@link #PAGE}.
 */
public interface FlashFile extends AutoCloseable {
  /** Bytes. */
  int PAGE = 4096;

  /** For messages. */
  String name();

  long sizeBytes();

  /**
   * Fills a buffer; an interrupt does not end that.
   *
   * @param to direct
   * @throws IOException if not every byte could be read
   */
  void read(long offset, ByteBuffer to) throws IOException;

  /** Writes all of a direct buffer. */
  void write(long offset, ByteBuffer from) throws IOException;

  /** Lets go of the file. Reads under way may fail. */
  @Override
  void close();
}
