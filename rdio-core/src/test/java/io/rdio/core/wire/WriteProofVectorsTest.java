// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.CommitHead;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** As {@link ProofVectorsTest}, of the proofs of writes. */
final class WriteProofVectorsTest {
  private static final BlockKey BLOCK = new BlockKey("BP-1", 7, 1001);
  private static final ByteString NONCE = ByteString.copyFrom(from(0, 16));
  private static final ByteString STATEMENT = ByteString.copyFrom("statement", US_ASCII);
  private static final CommitHead HEAD =
      WriteCodec.encode(new CommitAsk(9, 4, BLOCK, 1000)).setClientId("client").build();

  private final GrantProof token = GrantProof.ofPassword(from(1, 20));
  private final SessionProof session =
      SessionProof.ofKey(
          from(200, 32), "client", 0x0102030405060708L, ByteString.copyFrom(from(100, 16)));

  private static byte[] from(int first, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (first + i);
    }
    return bytes;
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  private AllocateRequest allocation() {
    SlotAsk ask = new SlotAsk(BLOCK, "DS-1", 1 << 20, ChecksumSpec.Type.CRC32C, 512, 5);
    AllocateRequest.Builder request =
        WriteCodec.encode(ask).setProtocolVersion(3).setClientId("client");
    var block = request.getBlockBuilder();
    block.setTokenIdentifier(ByteString.copyFrom("identifier", US_ASCII));
    block.setProof(WriteProof.ofAsk(token, session, NONCE, block.build()));
    return request.setAuth(WriteProof.authAllocate(session, NONCE, request.build())).build();
  }

  @Test
  void allocationAndGrant() {
    AllocateRequest request = allocation();

    assertThat(hex(request.getBlock().getProof()))
        .isEqualTo("25b9847ac4512e2e2fa1152bfe186824f6f966530a84eceb24e2400850921176");
    assertThat(hex(request.getAuth().getProof()))
        .isEqualTo("437b25e2526f96d9be1c463805f1f7347dfbccb5f0beafca1f010c98388a4a76");
    assertThat(hex(WriteProof.ofGrant(token, session, request, STATEMENT)))
        .isEqualTo("dc068d0d12381b81e9acb7b435f1276e17956df6cf880c6a91ecea0eb0d2839d");
  }

  @Test
  void renewals() {
    assertThat(hex(WriteProof.authRenew(session, NONCE, 9, List.of(3L, -1L)).getProof()))
        .isEqualTo("c7c36cbba4fab228ab70693f2553d9f8933e925b327edb9e328c7d2a9809485c");
    assertThat(hex(WriteProof.ofRenewals(session, NONCE, List.of(30_000L, 0L))))
        .isEqualTo("7d3c63381da4827229dc162b9f87b7ec84316e5435cc352933f331e0835916a4");
  }

  @Test
  void aborts() {
    List<Integer> ends = List.of(1, 0);
    assertThat(hex(WriteProof.authAbort(session, NONCE, 9, List.of(3L, -1L), ends).getProof()))
        .isEqualTo("d586e27eaf5b81a0b7cab45618cc10a7f92cea8fbdfbfb88c96d3345836aba52");
  }

  @Test
  void commit() {
    CommitHead head = HEAD.toBuilder().setAuth(WriteProof.authCommit(session, NONCE, HEAD)).build();
    CommitSum sum = WriteProof.sum(session, head);
    sum.add(ByteString.copyFrom(from(0, 4)));
    sum.add(ByteString.copyFrom(from(4, 4)));
    ByteString requested = sum.proof();

    assertThat(hex(head.getAuth().getProof()))
        .isEqualTo("1bcce54154b350141610c99993188768f28b7c3e9757a5710befa04a7c32eeb2");
    assertThat(hex(requested))
        .isEqualTo("a3534ebae1efc53e9a1749e8f0c4a478728808d6207284c258096592c37bf4e0");
    assertThat(hex(WriteProof.ofCommit(session, head, requested, 9)))
        .isEqualTo("c1b86a9537b9e84e16c300f9cad9bc7046e8f23ab6225dce3c77e3d9ed5b3a23");
  }
}
