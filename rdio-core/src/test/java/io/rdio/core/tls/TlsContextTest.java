// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBufAllocator;
import io.rdio.core.testing.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Key material: what is refused, with which words, and what happens when files change. */
final class TlsContextTest {
  private static final String PASSWORD = "open-sesame";

  @TempDir Path folder;
  private final TestAuthority authority = new TestAuthority("authority");
  private Path certificate;
  private Path key;
  private Path trusted;

  @BeforeEach
  void write() {
    certificate = folder.resolve("certificate.pem");
    key = folder.resolve("key.pem");
    trusted = folder.resolve("trusted.pem");
    authority.issue("localhost").writePem(certificate, key);
    authority.writePem(trusted);
  }

  private TlsSettings pem(TlsMode mode) {
    return new TlsSettings(
        mode,
        new PemFiles(
            new NamedFile("the.certificate", certificate),
            new NamedFile("the.key", key),
            new NamedFile("the.trusted", trusted)),
        Duration.ofSeconds(10));
  }

  private TlsSettings store(String type, String password, String keyPassword) {
    return new TlsSettings(
        TlsMode.MUTUAL,
        new StoreFiles(
            new StoreFiles.Store(
                new NamedFile("the.keystore", folder.resolve("keys")),
                type,
                new Secret(password.toCharArray()),
                new Secret(keyPassword.toCharArray())),
            new StoreFiles.Store(
                new NamedFile("the.truststore", folder.resolve("trust")),
                type,
                // Without one Java reads a truststore of its own kind only.
                new Secret(type.equals("jks") ? new char[0] : PASSWORD.toCharArray()),
                new Secret(new char[0]))),
        Duration.ofSeconds(10));
  }

  private static String refusal(TlsSettings settings) {
    String message =
        catchThrowableOfType(TlsException.class, () -> TlsContext.server(settings)).getMessage();
    assertThat(message).doesNotContain(PASSWORD);
    return message;
  }

  @Test
  void onlyVersion12AndLater() throws Exception {
    try (TlsContext context = TlsContext.server(pem(TlsMode.MUTUAL))) {
      var engine = context.sslContext().newEngine(ByteBufAllocator.DEFAULT);
      assertThat(engine.getEnabledProtocols()).containsExactlyInAnyOrder("TLSv1.2", "TLSv1.3");
      assertThat(engine.getNeedClientAuth()).isTrue();
    }
    try (TlsContext context = TlsContext.server(pem(TlsMode.ON))) {
      assertThat(context.sslContext().newEngine(ByteBufAllocator.DEFAULT).getNeedClientAuth())
          .isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"certificate", "key", "trusted"})
  void aMissingFileIsNamed(String file) throws IOException {
    Files.delete(folder.resolve(file + ".pem"));
    assertThat(refusal(pem(TlsMode.MUTUAL)))
        .contains("the." + file, folder.resolve(file + ".pem").toString());
  }

  @ParameterizedTest
  @CsvSource({"rw-r--r--, true", "rw-----w-, true", "rw-r-----, false", "r--------, false"})
  void aPrivateKeyIsItsOwnersOnly(String permissions, boolean refused) throws Exception {
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(permissions));
    if (refused) {
      assertThat(refusal(pem(TlsMode.ON))).contains("the.key", "chmod 600 " + key);
    } else {
      TlsContext.server(pem(TlsMode.ON)).close();
    }
  }

  @Test
  void anotherTimeIsNotValid() {
    Instant now = Instant.now();
    Duration day = Duration.ofDays(1);
    authority.issue(now.minus(day), now.minusSeconds(60), "localhost").writePem(certificate, key);
    assertThat(refusal(pem(TlsMode.ON))).contains("the.certificate", "expired on", "CN=localhost");
    authority.issue(now.plusSeconds(3600), now.plus(day), "localhost").writePem(certificate, key);
    assertThat(refusal(pem(TlsMode.ON))).contains("not valid before", "clock");
  }

  @Test
  void aKeyOfAnotherCertificate() {
    authority.issue("localhost").writePem(folder.resolve("other.pem"), key);
    assertThat(refusal(pem(TlsMode.ON))).contains("not that of the certificate");
  }

  @ParameterizedTest
  @CsvSource({
    "key, ENCRYPTED PRIVATE KEY, openssl pkcs8",
    "key, RSA PRIVATE KEY, openssl pkcs8",
    "key, PRIVATE KEY, damaged",
    "certificate, CERTIFICATE, damaged",
    "trusted, PRIVATE KEY, no certificate",
  })
  void aFileWithSomethingElse(String file, String label, String said) throws IOException {
    Files.writeString(folder.resolve(file + ".pem"), TestAuthority.pem(label, new byte[] {1, 2}));
    assertThat(refusal(pem(TlsMode.MUTUAL))).contains("the." + file, said);
  }

  @ParameterizedTest
  @CsvSource({"jks", "pkcs12"})
  void keystores(String type) throws Exception {
    String keyPassword = type.equals("jks") ? "of-the-key" : PASSWORD;
    authority.issue("localhost").writeStore(folder.resolve("keys"), type, PASSWORD, keyPassword);
    authority.writeTruststore(folder.resolve("trust"), type, PASSWORD);
    TlsContext.server(store(type, PASSWORD, keyPassword)).close();
    assertThat(refusal(store(type, "wrong", keyPassword)))
        .contains("the.keystore", "password is wrong");
    if (type.equals("jks")) {
      assertThat(refusal(store(type, PASSWORD, "wrong"))).contains("password of the private key");
    }
    assertThat(refusal(store("morse", PASSWORD, keyPassword))).contains("the.keystore", "morse");
    Instant now = Instant.now();
    authority
        .issue(now.minusSeconds(100), now.minusSeconds(10), "localhost")
        .writeStore(folder.resolve("keys"), type, PASSWORD, keyPassword);
    assertThat(refusal(store(type, PASSWORD, keyPassword))).contains("the.keystore", "expired on");
  }

  @Test
  void settingsShowNoPassword() {
    assertThat(store("jks", PASSWORD, PASSWORD).toString()).doesNotContain(PASSWORD);
    assertThat(store("jks", PASSWORD, PASSWORD)).isEqualTo(store("jks", PASSWORD, PASSWORD));
    assertThat(store("jks", PASSWORD, PASSWORD)).isNotEqualTo(store("jks", PASSWORD, "x"));
  }

  @Test
  void whatIsReplacedIsUsedOnceItFits() throws Exception {
    try (TlsContext context = TlsContext.server(pem(TlsMode.ON))) {
      Instant first = context.expiry();
      assertThat(context.refresh()).isFalse();
      TestAuthority.Identity next =
          authority.issue(Instant.now().minusSeconds(9), Instant.now().plusSeconds(900), "next");
      next.writePem(folder.resolve("unused.pem"), key);
      assertThat(context.refresh()).as("the new key with the old certificate").isFalse();
      assertThat(context.expiry()).isEqualTo(first);
      next.writePem(certificate, key);
      assertThat(context.refresh()).isTrue();
      assertThat(context.expiry()).isEqualTo(next.certificate().getNotAfter().toInstant());
      Files.delete(trusted);
      assertThat(context.refresh()).isFalse();
      assertThat(context.sslContext().newEngine(ByteBufAllocator.DEFAULT)).isNotNull();
    }
  }
}
