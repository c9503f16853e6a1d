// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Key material in PEM files (RFC 7468).
 *
 * @param certificate own certificate first, then those between it and the authority
 * @param privateKey PKCS #8, not encrypted; there if and only if the certificate is
 * @param trusted certificates of the authorities that the other side's must come from
 */
public record PemFiles(
    @Nullable NamedFile certificate, @Nullable NamedFile privateKey, @Nullable NamedFile trusted)
    implements KeySource {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String PRIVATE_KEY = "PRIVATE KEY";

  public PemFiles {
    if ((certificate == null) != (privateKey == null)) {
      throw new IllegalArgumentException("a certificate without its key, or the reverse");
    }
  }

  private record Block(String label, String base64) {
    byte[] der(NamedFile file) throws TlsException {
      try {
        return Base64.getMimeDecoder().decode(base64.strip());
      } catch (IllegalArgumentException e) {
        throw new TlsException(file, "the " + label + " in it is no base64", "replace the file");
      }
    }
  }

  @Override
  public List<Path> files() {
    return Stream.of(certificate, privateKey, trusted)
        .filter(Objects::nonNull)
        .map(NamedFile::path)
        .toList();
  }

  @Override
  public KeyMaterial load() throws TlsException {
    return new KeyMaterial(
        certificate == null || privateKey == null ? null : identity(certificate, privateKey),
        trusted == null ? List.of() : certificates(trusted));
  }

  private static KeyMaterial.Identity identity(NamedFile certificate, NamedFile privateKey)
      throws TlsException {
    List<X509Certificate> chain = certificates(certificate);
    privateKey.requireSecret();
    PrivateKey key = key(privateKey, chain.get(0).getPublicKey().getAlgorithm());
    return new KeyMaterial.Identity(key, chain).checked(certificate, Instant.now());
  }

  private static List<X509Certificate> certificates(NamedFile file) throws TlsException {
    List<X509Certificate> found = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Block block : blocks(file)) {
        if (block.label().equals(CERTIFICATE)) {
          found.add(
              (X509Certificate)
                  factory.generateCertificate(new ByteArrayInputStream(block.der(file))));
        }
      }
    } catch (CertificateException e) {
      throw new TlsException(file, "a certificate in it is damaged", "replace the file", e);
    }
    if (found.isEmpty()) {
      throw new TlsException(
          file, "no certificate in it", "name a PEM file with -----BEGIN CERTIFICATE-----");
    }
    return found;
  }

  private static PrivateKey key(NamedFile file, String algorithm) throws TlsException {
    String others = "";
    for (Block block : blocks(file)) {
      if (block.label().equals(PRIVATE_KEY)) {
        try {
          return KeyFactory.getInstance(algorithm)
              .generatePrivate(new PKCS8EncodedKeySpec(block.der(file)));
        } catch (GeneralSecurityException e) {
          // Without its cause, whose text could hold what was in the file.
          throw new TlsException(
              file,
              "its private key is damaged, or not of the certificate's kind, " + algorithm,
              "put the key there that belongs to the certificate");
        }
      }
      others = block.label();
    }
    throw new TlsException(
        file,
        others.isEmpty() ? "no private key in it" : "it has a '" + others + "'",
        "name a PEM file with an unencrypted -----BEGIN PRIVATE KEY-----, as 'openssl pkcs8 -topk8"
            + " -nocrypt' makes it, or use a keystore");
  }

  private static List<Block> blocks(NamedFile file) throws TlsException {
    return BLOCK
        .matcher(new String(file.read(), StandardCharsets.ISO_8859_1))
        .results()
        .map(found -> new Block(found.group(1), found.group(2)))
        .toList();
  }
}
