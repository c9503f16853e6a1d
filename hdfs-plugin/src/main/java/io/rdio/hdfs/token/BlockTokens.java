// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.token;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;

/** Checks block tokens that came over the wire. */
public final class BlockTokens {
  private BlockTokens() {}

  /**
   * Refuses anything but a token for reading this block that the NameNode made and that has not
   * expired. The HMAC is part of the check: the DataNode's own short way compares identifiers only,
   * because SASL has checked the rest there.
   *
   * <p>For an internal block of an erasure-coded group the group's token will do. NameNodes sign it
   * for whoever may read the file, whose are all of the group's blocks, and it is all that there is
   * for a block that a NameNode lists nowhere. A DataNode asks for the internal block's own.
   *
   * @param wire what {@code Token.write} wrote
   * @return until when it is good, in milliseconds since 1970
   */
  public static long check(BlockPoolTokenSecretManager secrets, BlockKey block, byte[] wire)
      throws FallbackException {
    if (wire.length == 0) {
      throw new FallbackException(FallbackReason.TOKEN_REFUSED, "no token for " + block);
    }
    try {
      Token<BlockTokenIdentifier> token = parse(wire);
      requireTrueLengths(token.getIdentifier());
      BlockTokenIdentifier id = identifier(token.getIdentifier());
      long signed = block.isOfGroup(id.getBlockId()) ? id.getBlockId() : block.blockId();
      ExtendedBlock named = new ExtendedBlock(block.poolId(), signed, 0, block.generationStamp());
      secrets.checkAccess(token, null, named, AccessMode.READ);
      return id.getExpiryDate();
    } catch (IOException | RuntimeException e) {
      throw new FallbackException(
          FallbackReason.TOKEN_REFUSED, "for " + block + ": " + e.getMessage(), e);
    }
  }

  /**
   * Refuses anything but a token for writing this block, as {@link #check} does for reading. A
   * group's token will not do: NameNodes give writers one for each internal block.
   *
   * @param type of the storage to write to, which the token has to allow as HDFS demands it; null
   *     if no such storage is here
   * @param storageId of that storage, or "" if the DataNode may choose it
   */
  public static void checkWrite(
      BlockPoolTokenSecretManager secrets,
      BlockKey block,
      byte[] wire,
      @Nullable StorageType type,
      String storageId)
      throws FallbackException {
    if (wire.length == 0) {
      throw new FallbackException(FallbackReason.TOKEN_REFUSED, "no token for " + block);
    }
    try {
      Token<BlockTokenIdentifier> token = parse(wire);
      requireTrueLengths(token.getIdentifier());
      ExtendedBlock named =
          new ExtendedBlock(block.poolId(), block.blockId(), 0, block.generationStamp());
      secrets.checkAccess(
          token,
          null,
          named,
          AccessMode.WRITE,
          type == null ? new StorageType[0] : new StorageType[] {type},
          storageId.isEmpty() ? new String[0] : new String[] {storageId});
    } catch (IOException | RuntimeException e) {
      throw new FallbackException(
          FallbackReason.TOKEN_REFUSED, "for " + block + ": " + e.getMessage(), e);
    }
  }

  /**
   * The password of the token with this identifier, made from the block pool's keys as the NameNode
   * made it. Refuses an identifier of a key that is not, or no longer, known, and of no length or
   * form that a NameNode makes. What it is for is left to {@link #check}.
   *
   * @param identifier as a stranger sent it
   */
  public static byte[] password(
      BlockPoolTokenSecretManager secrets, BlockKey block, byte[] identifier)
      throws FallbackException {
    if (identifier.length == 0) {
      throw new FallbackException(FallbackReason.TOKEN_REFUSED, "no token for " + block);
    }
    try {
      requireTrueLengths(identifier);
      BlockTokenIdentifier id = identifier(identifier);
      if (!id.getBlockPoolId().equals(block.poolId())) {
        throw new IOException("a token of pool " + id.getBlockPoolId());
      }
      return secrets.retrievePassword(id);
    } catch (IOException | RuntimeException e) {
      throw new FallbackException(
          FallbackReason.TOKEN_REFUSED, "for " + block + ": " + e.getMessage(), e);
    }
  }

  /** Of a length and form that were checked. */
  private static BlockTokenIdentifier identifier(byte[] bytes) throws IOException {
    BlockTokenIdentifier identifier = new BlockTokenIdentifier();
    identifier.readFields(new DataInputStream(new ByteArrayInputStream(bytes)));
    return identifier;
  }

  /**
   * What {@code Token.write} wrote. {@code Token.readFields} would allocate whatever length a
   * stranger claims.
   */
  static Token<BlockTokenIdentifier> parse(byte[] wire) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(wire));
    byte[] identifier = part(in);
    byte[] password = part(in);
    Text kind = new Text(part(in));
    Text service = new Text(part(in));
    return new Token<>(identifier, password, kind, service);
  }

  /**
   * Hadoop reads the identifier before it can look at the signature, and allocates whatever lengths
   * it claims: gigabytes for a stranger's twenty bytes. So the lengths are looked at first.
   *
   * @param identifier as {@code BlockTokenIdentifier.write} makes it
   */
  private static void requireTrueLengths(byte[] identifier) throws IOException {
    if (identifier.length == 0 || identifier[0] > 0) {
      return; // a protobuf, whose parser is not to be deceived
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(identifier));
    WritableUtils.readVLong(in); // expiry
    WritableUtils.readVInt(in); // key
    skip(in, in.readInt()); // user
    skip(in, in.readInt()); // block pool
    WritableUtils.readVLong(in); // block
    for (int modes = count(in); modes > 0; modes--) {
      skip(in, WritableUtils.readVInt(in));
    }
    // NameNodes of old end somewhere here.
    for (int types = count(in); types > 0; types--) {
      skip(in, WritableUtils.readVInt(in));
    }
    for (int storages = count(in); storages > 0; storages--) {
      skip(in, in.readInt());
    }
    if (in.available() > 0) {
      skip(in, WritableUtils.readVInt(in)); // handshake
    }
  }

  private static int count(DataInputStream in) throws IOException {
    int count = in.available() == 0 ? 0 : WritableUtils.readVInt(in);
    if (count < 0 || count > in.available()) {
      throw new EOFException(count + " entries where " + in.available() + " bytes are left");
    }
    return count;
  }

  private static void skip(DataInputStream in, int length) throws IOException {
    if (length < -1 || length > in.available()) {
      throw new EOFException(
          "a field of " + length + " bytes where " + in.available() + " are left");
    }
    in.skipNBytes(Math.max(0, length));
  }

  private static byte[] part(DataInputStream in) throws IOException {
    int length = WritableUtils.readVInt(in);
    if (length < 0 || length > in.available()) {
      throw new EOFException(
          "a part of " + length + " bytes where " + in.available() + " are left in the token");
    }
    byte[] part = new byte[length];
    in.readFully(part);
    return part;
  }
}
