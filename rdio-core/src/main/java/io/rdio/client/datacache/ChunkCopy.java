// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import java.nio.ByteBuffer;

/** How a chunk's bytes get into the caller's kind of memory. */
@FunctionalInterface
interface ChunkCopy<T> {
  ChunkCopy<byte[]> TO_ARRAY = (bytes, from, to, at, length) -> bytes.get(from, to, at, length);

  ChunkCopy<ByteBuffer> TO_BUFFER =
      (bytes, from, to, at, length) -> to.put(at, bytes, from, length);

  void copy(ByteBuffer bytes, int from, T to, int at, int length);
}
