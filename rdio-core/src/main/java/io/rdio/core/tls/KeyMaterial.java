// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one side proves itself with and whom it believes.
 *
 * @param identity null where this side proves nothing
 * @param trusted authorities that the other side's certificate must come from; empty where it shows
 *     none
 */
record KeyMaterial(@Nullable Identity identity, List<X509Certificate> trusted) {

  /**
   * A private key and its certificate.
   *
   * @param chain own certificate first, at least that one
   */
  record Identity(PrivateKey key, List<X509Certificate> chain) {
    X509Certificate certificate() {
      return chain.get(0);
    }

    /**
     * Refuses a certificate that nobody would accept at this time, and one that is not the key's:
     * also what a reader finds who comes between the replacement of the one and of the other.
     *
     * @param from the file with the certificate, for the error
     */
    Identity checked(NamedFile from, Instant now) throws TlsException {
      X509Certificate own = certificate();
      String subject = own.getSubjectX500Principal().getName();
      if (now.isAfter(own.getNotAfter().toInstant())) {
        throw new TlsException(
            from,
            "the certificate of " + subject + " expired on " + own.getNotAfter().toInstant(),
            "replace it");
      }
      if (now.isBefore(own.getNotBefore().toInstant())) {
        throw new TlsException(
            from,
            "the certificate of "
                + subject
                + " is not valid before "
                + own.getNotBefore().toInstant(),
            "check this host's clock, or replace the certificate");
      }
      if (!isPair(key, own.getPublicKey())) {
        throw new TlsException(
            from,
            "the private key is not that of the certificate of " + subject,
            "put the two that belong together there");
      }
      return this;
    }

    private static boolean isPair(PrivateKey key, PublicKey publicKey) {
      String algorithm =
          switch (publicKey.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> publicKey.getAlgorithm();
          };
      byte[] text = "rdio".getBytes(StandardCharsets.US_ASCII);
      try {
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        signature.update(text);
        return signature.verify(signed);
      } catch (GeneralSecurityException e) {
        return false;
      }
    }
  }
}
