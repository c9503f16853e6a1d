// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.testing.Allocation;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.security.token.Token;

/** Tokens of the NameNode, and what strangers make of them. */
final class BlockTokensFuzzTest {
  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final BlockKey BLOCK = new BlockKey(POOL, 7, 1001);
  private static final BlockKey GROUP = new BlockKey(POOL, Long.MIN_VALUE + 32, 1001);
  private static final String[] STORAGES = {"DS-1"};
  private static final StorageType[] TYPES = {StorageType.DISK};

  private final BlockPoolTokenSecretManager secrets = new BlockPoolTokenSecretManager();
  private final BlockTokenSecretManager nameNode = nameNode(false, 600_000);

  BlockTokensFuzzTest() throws IOException {
    secrets.addBlockPool(POOL, nameNode);
  }

  private static BlockTokenSecretManager nameNode(boolean protobuf, long lifetimeMillis) {
    return new BlockTokenSecretManager(
        600_000, lifetimeMillis, 0, 1, POOL, "not used here", protobuf);
  }

  private static byte[] token(BlockTokenSecretManager by, BlockKey block, AccessMode mode)
      throws IOException {
    ExtendedBlock named =
        new ExtendedBlock(block.poolId(), block.blockId(), 0, block.generationStamp());
    return wire(by.generateToken("user", named, EnumSet.of(mode), TYPES, STORAGES));
  }

  private static byte[] wire(Token<?> token) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    token.write(new DataOutputStream(out));
    return out.toByteArray();
  }

  private FallbackReason refusal(byte[] wire) {
    return refusal(BLOCK, wire);
  }

  private FallbackReason refusal(BlockKey block, byte[] wire) {
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class, () -> BlockTokens.check(secrets, block, wire));
    assertThat(refusal).as("the token was taken").isNotNull();
    return refusal.reason();
  }

  @Example
  void tokenOfTheNameNodeIsTaken() throws Exception {
    BlockTokens.check(secrets, BLOCK, token(nameNode, BLOCK, AccessMode.READ));
  }

  @Example
  void tokenForSomethingElseIsRefused() throws IOException {
    BlockKey other = new BlockKey(POOL, 8, 1001);
    BlockKey otherPool = new BlockKey("BP-2-127.0.0.1-1", 7, 1001);
    assertThat(refusal(token(nameNode, other, AccessMode.READ)))
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(refusal(token(nameNode, otherPool, AccessMode.READ)))
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(refusal(token(nameNode, BLOCK, AccessMode.WRITE)))
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  private static BlockKey internal(long index) {
    return new BlockKey(POOL, GROUP.blockId() + index, GROUP.generationStamp());
  }

  @Example
  void tokenOfAGroupIsTakenForItsInternalBlocks() throws Exception {
    byte[] token = token(nameNode, GROUP, AccessMode.READ);
    long last = HdfsServerConstants.BLOCK_GROUP_INDEX_MASK;
    for (long index = 0; index <= last; index++) {
      assertThat(BlockTokens.check(secrets, internal(index), token))
          .isGreaterThan(System.currentTimeMillis());
    }
    assertThat(refusal(internal(last + 1), token)).isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(refusal(internal(-1), token)).isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  @Example
  void tokenOfAnInternalBlockIsNoneForItsNeighbour() throws Exception {
    byte[] token = token(nameNode, internal(3), AccessMode.READ);
    BlockTokens.check(secrets, internal(3), token);
    assertThat(refusal(internal(4), token)).isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(refusal(GROUP, token)).isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  @Example
  void tokenOfAGroupHasToBeOneForReadingOfThisPoolAndNameNode() throws IOException {
    BlockKey elsewhere = new BlockKey("BP-2-127.0.0.1-1", GROUP.blockId(), 1001);
    for (byte[] token :
        List.of(
            token(nameNode, GROUP, AccessMode.WRITE),
            token(nameNode, elsewhere, AccessMode.READ),
            token(nameNode(false, 600_000), GROUP, AccessMode.READ))) {
      assertThat(refusal(internal(3), token)).isEqualTo(FallbackReason.TOKEN_REFUSED);
    }
  }

  @Example
  void blocksThatAreNotErasureCodedHaveNoGroup() throws IOException {
    BlockKey round = new BlockKey(POOL, BLOCK.blockId() & -16, 1001);
    assertThat(refusal(token(nameNode, round, AccessMode.READ)))
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  @Example
  void tokenThatExpiredIsRefused() throws IOException {
    BlockTokenSecretManager past = nameNode(false, -10_000);
    secrets.addBlockPool(POOL, past);

    assertThat(refusal(token(past, BLOCK, AccessMode.READ)))
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  @Example
  void tokenSignedByAnybodyElseIsRefused() throws IOException {
    BlockTokenSecretManager stranger = nameNode(false, 600_000);

    assertThat(refusal(token(stranger, BLOCK, AccessMode.READ)))
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  private FallbackReason passwordRefusal(byte[] identifier) {
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class, () -> BlockTokens.password(secrets, BLOCK, identifier));
    assertThat(refusal).as("a password was made").isNotNull();
    return refusal.reason();
  }

  @Example
  void passwordIsMadeFromTheIdentifier() throws Exception {
    for (boolean protobuf : new boolean[] {false, true}) {
      BlockTokenSecretManager by = nameNode(protobuf, 600_000);
      secrets.addBlockPool(POOL, by);
      Token<BlockTokenIdentifier> token = BlockTokens.parse(token(by, BLOCK, AccessMode.READ));

      assertThat(BlockTokens.password(secrets, BLOCK, token.getIdentifier()))
          .isEqualTo(token.getPassword());
    }
  }

  @Example
  void noPasswordIsMadeOfWhatIsNotOfThisPoolAndTime() throws IOException {
    BlockKey otherPool = new BlockKey("BP-2-127.0.0.1-1", 7, 1001);
    BlockTokenSecretManager past = nameNode(false, -10_000);
    byte[] expired = BlockTokens.parse(token(past, BLOCK, AccessMode.READ)).getIdentifier();
    byte[] other = BlockTokens.parse(token(nameNode, otherPool, AccessMode.READ)).getIdentifier();

    for (byte[] wrong : new byte[][] {{}, expired, other}) {
      assertThat(passwordRefusal(wrong)).isEqualTo(FallbackReason.TOKEN_REFUSED);
    }
  }

  /** Another identifier has another password, so a proof for the one is none for the other. */
  @Property
  void changedIdentifierHasAnotherPassword(
      @ForAll @IntRange(max = 10_000) int at, @ForAll @IntRange(min = 1, max = 255) int change)
      throws IOException {
    Token<BlockTokenIdentifier> good = BlockTokens.parse(token(nameNode, BLOCK, AccessMode.READ));
    byte[] identifier = good.getIdentifier().clone();
    identifier[at % identifier.length] ^= (byte) change;
    try {
      assertThat(BlockTokens.password(secrets, BLOCK, identifier)).isNotEqualTo(good.getPassword());
    } catch (FallbackException e) {
      assertThat(e.reason()).isEqualTo(FallbackReason.TOKEN_REFUSED);
    }
  }

  /** Any identifier: this is parsed for whoever asks for a session. */
  @Property(tries = 2000)
  void identifierOfAnyBytesCostsLittle(@ForAll("wires") byte[] identifier) {
    long allocated =
        Allocation.of(
            () -> {
              try {
                assertThat(BlockTokens.password(secrets, BLOCK, identifier)).isNotEmpty();
              } catch (FallbackException e) {
                assertThat(e.reason()).isEqualTo(FallbackReason.TOKEN_REFUSED);
              }
            });
    assertThat(allocated).isLessThan(16 << 20);
  }

  /** Each of these made Hadoop allocate as many bytes, or references, as it claims. */
  @Example
  void identifierThatClaimsGigabytesIsRefusedAtLittleCost() throws IOException {
    for (int field = 0; field < 5; field++) {
      byte[] identifier = claimingInField(field);
      byte[] wire = unsigned(identifier);
      long allocated =
          Allocation.of(
              () -> {
                assertThat(refusal(wire)).isEqualTo(FallbackReason.TOKEN_REFUSED);
                assertThat(passwordRefusal(identifier)).isEqualTo(FallbackReason.TOKEN_REFUSED);
              });
      assertThat(allocated).as("field " + field).isLessThan(2 << 20);
    }
  }

  /** An identifier whose user, pool, storage types, storage ids or handshake is that large. */
  private static byte[] claimingInField(int field) throws IOException {
    int claim = 200 << 20;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    WritableUtils.writeVLong(out, System.currentTimeMillis() + 600_000);
    WritableUtils.writeVInt(out, 1);
    out.writeInt(field == 0 ? claim : 0);
    out.writeInt(field == 1 ? claim : 0);
    WritableUtils.writeVLong(out, BLOCK.blockId());
    WritableUtils.writeVInt(out, 0);
    WritableUtils.writeVInt(out, field == 2 ? claim : 0);
    WritableUtils.writeVInt(out, field == 3 ? claim : 0);
    WritableUtils.writeVInt(out, field == 4 ? claim : 0);
    return bytes.toByteArray();
  }

  /** What was not signed may change; what was may not. */
  @Property
  void tokenWithAnotherIdentifierOrPasswordIsRefused(
      @ForAll @IntRange(max = 10_000) int at, @ForAll @IntRange(min = 1, max = 255) int change)
      throws IOException {
    Token<BlockTokenIdentifier> good = BlockTokens.parse(token(nameNode, BLOCK, AccessMode.READ));
    byte[] identifier = good.getIdentifier().clone();
    byte[] password = good.getPassword().clone();
    int where = at % (identifier.length + password.length);
    if (where < identifier.length) {
      identifier[where] ^= (byte) change;
    } else {
      password[where - identifier.length] ^= (byte) change;
    }

    assertThat(refusal(wire(new Token<>(identifier, password, good.getKind(), good.getService()))))
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  /** An identifier is parsed before its signature is looked at. */
  @Property(tries = 2000)
  void tokenOfAnyBytesIsRefusedAtLittleCost(@ForAll("wires") byte[] wire) {
    long allocated =
        Allocation.of(() -> assertThat(refusal(wire)).isEqualTo(FallbackReason.TOKEN_REFUSED));
    assertThat(allocated).isLessThan(16 << 20);
  }

  @Provide
  Arbitrary<byte[]> wires() {
    Arbitrary<byte[]> noise = Arbitraries.bytes().array(byte[].class).ofMinSize(1).ofMaxSize(200);
    Arbitrary<byte[]> lengths =
        Combinators.combine(
                Arbitraries.longs(), Arbitraries.bytes().array(byte[].class).ofMaxSize(40))
            .as(BlockTokensFuzzTest::claiming);
    Arbitrary<byte[]> identifiers =
        Arbitraries.bytes()
            .array(byte[].class)
            .ofMaxSize(120)
            .map(bytes -> unsigned(withVersion(bytes)));
    return Arbitraries.oneOf(noise, lengths, identifiers, Arbitraries.longs().map(this::damaged));
  }

  /** A first part that claims any length. */
  private static byte[] claiming(long length, byte[] rest) {
    try {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      WritableUtils.writeVLong(new DataOutputStream(out), length);
      out.writeBytes(rest);
      return out.toByteArray();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Bytes that are read as an identifier of the old form, with counts of anything. */
  private static byte[] withVersion(byte[] bytes) {
    if (bytes.length > 2 && bytes[0] % 2 == 0) {
      bytes[0] = 8; // a vlong of one byte: the expiry, and no protobuf
    }
    return bytes;
  }

  private static byte[] unsigned(byte[] identifier) {
    try {
      return wire(
          new Token<>(identifier, new byte[20], new Text("HDFS_BLOCK_TOKEN"), new Text("")));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private byte[] damaged(long seed) {
    try {
      Random random = new Random(seed);
      Token<BlockTokenIdentifier> good = BlockTokens.parse(token(nameNode, BLOCK, AccessMode.READ));
      byte[] identifier = good.getIdentifier().clone();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        identifier[random.nextInt(identifier.length)] ^= (byte) (1 + random.nextInt(255));
      }
      return unsigned(Arrays.copyOf(identifier, 1 + random.nextInt(identifier.length)));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
