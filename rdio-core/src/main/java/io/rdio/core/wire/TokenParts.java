// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import com.google.protobuf.ByteString;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * A block token in its parts. Hadoop's {@code Token.write} writes four, each behind its length as a
 * {@code WritableUtils.writeVInt}: identifier, password, kind and service.
 *
 * @param identifier what it is for; no secret
 * @param password what proves it; never empty, and never sent
 */
@SuppressWarnings("ArrayRecordComponent") // taken apart once, never compared
public record TokenParts(ByteString identifier, byte[] password) {
  /** A VInt of one byte is this or more; below it the byte says how many bytes follow. */
  private static final int ONE_BYTE_MIN = -112;

  private static final int INT_BYTES_MAX = 4;

  /**
   * Reads what {@code Token.write} wrote.
   *
   * @throws FallbackException TOKEN_REFUSED if these bytes are no token
   */
  public static TokenParts of(byte[] token) throws FallbackException {
    ByteBuffer in = ByteBuffer.wrap(token);
    try {
      byte[] identifier = part(in);
      byte[] password = part(in);
      if (password.length > 0) {
        return new TokenParts(ByteString.copyFrom(identifier), password);
      }
    } catch (BufferUnderflowException e) {
      // Said below.
    }
    throw new FallbackException(
        FallbackReason.TOKEN_REFUSED, "a block token of " + token.length + " bytes is malformed");
  }

  private static byte[] part(ByteBuffer in) {
    int length = vInt(in);
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] part = new byte[length];
    in.get(part);
    return part;
  }

  private static int vInt(ByteBuffer in) {
    int first = in.get();
    if (first >= ONE_BYTE_MIN) {
      return first;
    }
    int bytes = ONE_BYTE_MIN - first;
    if (bytes > INT_BYTES_MAX) {
      throw new BufferUnderflowException(); // negative, or longer than any part
    }
    int value = 0;
    for (int i = 0; i < bytes; i++) {
      value = (value << Byte.SIZE) | (in.get() & 0xff);
    }
    return value;
  }

  /** As {@code Token.write} makes it, without kind and service. */
  public byte[] toToken() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(out, identifier.toByteArray());
    write(out, password);
    out.write(0);
    out.write(0);
    return out.toByteArray();
  }

  private static void write(ByteArrayOutputStream out, byte[] part) {
    int length = part.length;
    if (length <= Byte.MAX_VALUE) {
      out.write(length);
    } else {
      int bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(length) + Byte.SIZE - 1) / Byte.SIZE;
      out.write(ONE_BYTE_MIN - bytes);
      for (int shift = (bytes - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
        out.write(length >> shift);
      }
    }
    out.writeBytes(part);
  }
}
