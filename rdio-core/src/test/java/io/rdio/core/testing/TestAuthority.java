// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;

/**
 * An authority that issues certificates, by the JDK alone and within milliseconds: EC keys, and
 * X.509 (RFC 5280) put together from its DER. Thread-safe.
 */
public final class TestAuthority {
  private static final AtomicLong SERIAL = new AtomicLong(1);
  private static final byte[] ECDSA_WITH_SHA256 =
      sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2));
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private final X500Principal name;
  private final KeyPair keys = keyPair();
  private final X509Certificate certificate;

  /** A private key with its certificate. */
  public record Identity(PrivateKey key, X509Certificate certificate) {
    /** Writes both as PEM, the key readable for its owner only; each appears at once. */
    public void writePem(Path certificateFile, Path keyFile) {
      write(keyFile, pem("PRIVATE KEY", key.getEncoded()));
      writeCertificate(certificateFile, certificate);
    }

    /** Writes both as a keystore. */
    public void writeStore(Path file, String type, String password, String keyPassword) {
      try {
        KeyStore store = KeyStore.getInstance(type);
        store.load(null, null);
        store.setKeyEntry(
            "own", key, keyPassword.toCharArray(), new X509Certificate[] {certificate});
        save(store, file, password);
      } catch (GeneralSecurityException | IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  public TestAuthority(String name) {
    this.name = new X500Principal("CN=" + name);
    Instant now = Instant.now();
    this.certificate =
        sign(
            this.name,
            keys.getPublic(),
            now.minus(Duration.ofDays(1)),
            now.plus(Duration.ofDays(1)),
            // Basic constraints, critical: an authority.
            sequence(
                oid(0x55, 0x1d, 0x13),
                tagged(1, (byte) 0xff),
                tagged(4, sequence(tagged(1, (byte) 0xff)))));
  }

  /** An identity that is valid today, for names or addresses of hosts. */
  public Identity issue(String... hosts) {
    Instant now = Instant.now();
    return issue(now.minus(Duration.ofHours(1)), now.plus(Duration.ofHours(20)), hosts);
  }

  /** An identity for some time. */
  public Identity issue(Instant from, Instant until, String... hosts) {
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    for (String host : hosts) {
      boolean address = host.matches("[0-9.]+|.*:.*");
      names.writeBytes(
          address
              ? tagged(0x87, address(host))
              : tagged(0x82, host.getBytes(StandardCharsets.US_ASCII)));
    }
    KeyPair pair = keyPair();
    byte[] alternatives = sequence(oid(0x55, 0x1d, 0x11), tagged(4, sequence(names.toByteArray())));
    X500Principal subject = new X500Principal("CN=" + (hosts.length == 0 ? "nobody" : hosts[0]));
    return new Identity(
        pair.getPrivate(), sign(subject, pair.getPublic(), from, until, alternatives));
  }

  /** Writes this authority's own certificate as PEM. */
  public void writePem(Path file) {
    writeCertificate(file, certificate);
  }

  /** Writes a truststore with this authority. */
  public void writeTruststore(Path file, String type, String password) {
    try {
      KeyStore store = KeyStore.getInstance(type);
      store.load(null, null);
      store.setCertificateEntry("authority", certificate);
      save(store, file, password);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private X509Certificate sign(
      X500Principal subject, PublicKey key, Instant from, Instant until, byte[] extension) {
    byte[] body =
        sequence(
            tagged(0xa0, tagged(2, (byte) 2)),
            tagged(2, BigInteger.valueOf(SERIAL.getAndIncrement()).toByteArray()),
            ECDSA_WITH_SHA256,
            name.getEncoded(),
            sequence(time(from), time(until)),
            subject.getEncoded(),
            key.getEncoded(),
            tagged(0xa3, sequence(extension)));
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(keys.getPrivate());
      signature.update(body);
      byte[] bits = concat(new byte[] {0}, signature.sign());
      byte[] whole = sequence(body, ECDSA_WITH_SHA256, tagged(3, bits));
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(whole));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyPair keyPair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] address(String host) {
    try {
      return InetAddress.getByName(host).getAddress();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] time(Instant instant) {
    return tagged(0x18, TIME.format(instant).getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] oid(int... encoded) {
    byte[] bytes = new byte[encoded.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) encoded[i];
    }
    return tagged(6, bytes);
  }

  private static byte[] sequence(byte[]... parts) {
    return tagged(0x30, concat(parts));
  }

  private static byte[] tagged(int tag, byte... content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (content.length >= 0x80) {
      byte[] length = BigInteger.valueOf(content.length).toByteArray();
      int skip = length[0] == 0 ? 1 : 0;
      out.write(0x80 | (length.length - skip));
      out.write(length, skip, length.length - skip);
    } else {
      out.write(content.length);
    }
    out.writeBytes(content);
    return out.toByteArray();
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static void writeCertificate(Path file, X509Certificate certificate) {
    try {
      write(file, pem("CERTIFICATE", certificate.getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As PEM has it. */
  public static String pem(String label, byte[] der) {
    return "-----BEGIN "
        + label
        + "-----\n"
        + Base64.getMimeEncoder().encodeToString(der)
        + "\n-----END "
        + label
        + "-----\n";
  }

  private static void save(KeyStore store, Path file, String password)
      throws GeneralSecurityException, IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, password.toCharArray());
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
