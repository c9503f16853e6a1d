// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;

/** CRC-16 with the polynomial 0x8005, reflected: group descriptors without metadata_csum. */
final class Crc16 {
  static final int START = 0xFFFF;

  private static final int POLYNOMIAL = 0xA001;

  private Crc16() {}

  /** The state behind the bytes from the buffer's position to its limit, which do not move. */
  static int extend(int state, ByteBuffer bytes) {
    int next = state;
    for (int at = bytes.position(); at < bytes.limit(); at++) {
      next ^= bytes.get(at) & 0xFF;
      for (int i = 0; i < Byte.SIZE; i++) {
        next = (next >>> 1) ^ (POLYNOMIAL & -(next & 1));
      }
    }
    return next;
  }
}
