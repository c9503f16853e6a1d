// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.proto.BlockId;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * One HMAC-SHA-256 (RFC 2104) over a label and a row of fields. The label says what is proved and
 * which fields follow; each field has a fixed length or its length in front. So no two different
 * rows, and no two uses of a key, give the same bytes. Confined to one thread.
 */
public final class Transcript {
  /** Bytes of a proof, and of a key. */
  public static final int PROOF_BYTES = 32;

  /** In front of each label, and behind it the version: no proof means anything to another one. */
  private static final String DOMAIN = "RDIO-HDFS/";

  private static final String ALGORITHM = "HmacSHA256";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Mac mac;

  /** Of the metadata plane. */
  Transcript(SecretKeySpec key, String label) {
    this(key, ProtocolVersion.PROOFS, label);
  }

  /**
   * @param version of the protocol that first had such a proof
   */
  Transcript(SecretKeySpec key, int version, String label) {
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
    add(DOMAIN + version + " " + label);
  }

  /**
   * A key for this class.
   *
   * @param bytes at least one
   */
  public static SecretKeySpec key(byte[] bytes) {
    return new SecretKeySpec(bytes, ALGORITHM);
  }

  /** Bytes that nobody can guess. */
  public static byte[] random(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  Transcript add(long value) {
    mac.update(ByteBuffer.allocate(Long.BYTES).putLong(0, value));
    return this;
  }

  Transcript add(ByteString bytes) {
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.size()));
    mac.update(bytes.asReadOnlyByteBuffer());
    return this;
  }

  Transcript add(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
    mac.update(bytes);
    return this;
  }

  Transcript add(BlockId block) {
    return add(block.getPoolId()).add(block.getBlockId()).add(block.getGenerationStamp());
  }

  Transcript add(List<Long> values) {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + values.size() * Long.BYTES);
    bytes.putInt(values.size());
    values.forEach(bytes::putLong);
    mac.update(bytes.flip());
    return this;
  }

  byte[] end() {
    return mac.doFinal();
  }

  ByteString proof() {
    return ByteString.copyFrom(end());
  }

  /** Compares in a time that does not tell where two proofs differ. */
  public static boolean matches(ByteString given, ByteString right) {
    return MessageDigest.isEqual(given.toByteArray(), right.toByteArray());
  }
}
