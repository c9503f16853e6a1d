// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.SessionAuth;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Proofs as another implementation made them (Python's hmac and struct, after docs/protocol.md):
 * what is on the wire must not change within a version of the protocol.
 */
final class ProofVectorsTest {
  private static final long INCARNATION = 0x0102030405060708L;
  private static final ByteString NONCE = ByteString.copyFrom(from(0, 16));
  private static final ByteString SESSION = ByteString.copyFrom(from(100, 16));
  private static final ByteString STATEMENT = ByteString.copyFrom("statement", US_ASCII);
  private static final OpenSessionRequest OPENING =
      OpenSessionRequest.newBuilder()
          .setClientId("client")
          .setNonce(NONCE)
          .setBlock(BlockId.newBuilder().setPoolId("BP-1").setBlockId(7).setGenerationStamp(1001))
          .setTokenIdentifier(ByteString.copyFrom("identifier", US_ASCII))
          .build();
  private static final BlockRequest ASK =
      BlockRequest.newBuilder()
          .setBlock(OPENING.getBlock())
          .setTokenIdentifier(OPENING.getTokenIdentifier())
          .build();

  private final GrantProof token = GrantProof.ofPassword(from(1, 20));
  private final SessionProof session =
      SessionProof.ofKey(from(200, 32), "client", INCARNATION, SESSION);

  private static byte[] from(int first, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (first + i);
    }
    return bytes;
  }

  private static String hex(ByteString bytes) {
    return hex(bytes.toByteArray());
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void openingAndSession() {
    assertThat(hex(token.ofOpening(OPENING)))
        .isEqualTo("cfc85e43a27df1b074be2c18f30d066e1d8d544de92210159952bee40cbc90f4");
    assertThat(hex(token.ofSession(OPENING, STATEMENT)))
        .isEqualTo("0371d81ee10830b2701d1ad74c8600038c8d99d682efb587f5c95a66882944ee");
  }

  @Test
  void sealedKeyIsShownAgainByTheSamePassword() {
    byte[] sealed = token.seal(OPENING, SESSION, from(200, 32));

    assertThat(hex(sealed))
        .isEqualTo("e042d57a5082e03f95bec536eb48bb5363ce960e0e3040ec8092807342a5e26f");
    assertThat(token.seal(OPENING, SESSION, sealed)).isEqualTo(from(200, 32));
  }

  @Test
  void askAndGrant() {
    assertThat(hex(token.ofAsk(session, NONCE, ASK)))
        .isEqualTo("5351137c6ab5600e6364c468130290568a3187c7fed1fd0c9a70d02604a8596f");
    assertThat(hex(token.ofGrant(session, NONCE, ASK, STATEMENT)))
        .isEqualTo("93a6144ea52d5059d67315a0719f63f042942039f8a620fdcca21deb9d547a6a");
  }

  @Test
  void sessionKey() {
    assertThat(hex(SessionProof.key(Transcript.key(from(50, 32)), "client", SESSION)))
        .isEqualTo("0d5cd28897b04cb51322a2a4d10614b459872e843966d3bfc5d12ef857d473c4");
  }

  @Test
  void grantRequest() {
    BlockRequest proven = ASK.toBuilder().setProof(token.ofAsk(session, NONCE, ASK)).build();
    SessionAuth auth = session.authGrant(NONCE, 2, List.of(proven));

    assertThat(auth.getSessionId()).isEqualTo(SESSION);
    assertThat(auth.getNonce()).isEqualTo(NONCE);
    assertThat(hex(auth.getProof()))
        .isEqualTo("f705c65e1199895df81c87e2acb55b8620c78c40b1f9e62e70cfa41ea5176570");
  }

  @ParameterizedTest
  @CsvSource({
    "RENEW, 47bd8ed77692f99a737222d1a8290422d26da381926feb3f09031b87f53d4f90",
    "RETURN, 56c8d955375fcce164a015b1aed2598c70c14d0cb45b18eacb636102a229f7e5",
    "RECALLS, 49689b5afee501c076b458423943644ea7ca493c3cbd115326d48aa85ed41c1f"
  })
  void requestAboutLeases(SessionProof.Call call, String proof) {
    assertThat(hex(session.auth(call, NONCE, List.of(3L, -1L)).getProof())).isEqualTo(proof);
  }

  @Test
  void renewals() {
    assertThat(hex(session.ofRenewals(NONCE, List.of(60_000L, 0L))))
        .isEqualTo("6a21e3be2a660efcee8cd6601b8123fac7e51b8218c05d9e4bc373086189880f");
  }
}
