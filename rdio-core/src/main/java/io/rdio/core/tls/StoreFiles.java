// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.PrivateKey;
import java.security.UnrecoverableKeyException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Key material in Java's keystores, as Hadoop's ssl-server.xml and ssl-client.xml name them.
 *
 * @param keystore with one private key; the first by name that has a valid certificate, of several
 * @param truststore with the authorities that the other side's certificate must come from
 */
public record StoreFiles(@Nullable Store keystore, @Nullable Store truststore)
    implements KeySource {

  /**
   * One file.
   *
   * @param type such as jks or pkcs12
   * @param password empty for none, which a truststore need not have
   * @param keyPassword of the private key in it
   */
  public record Store(NamedFile file, String type, Secret password, Secret keyPassword) {}

  @Override
  public List<Path> files() {
    return Stream.of(keystore, truststore)
        .filter(Objects::nonNull)
        .map(store -> store.file().path())
        .toList();
  }

  @Override
  public KeyMaterial load() throws TlsException {
    return new KeyMaterial(
        keystore == null ? null : identity(keystore),
        truststore == null ? List.of() : trusted(truststore));
  }

  private static KeyMaterial.Identity identity(Store store) throws TlsException {
    store.file().warnUnlessSecret();
    KeyStore keys = open(store);
    try {
      TlsException why = null;
      for (String alias : aliases(keys)) {
        if (keys.isKeyEntry(alias)
            && keys.getKey(alias, store.keyPassword().value()) instanceof PrivateKey key) {
          List<X509Certificate> chain =
              Arrays.stream(keys.getCertificateChain(alias))
                  .map(X509Certificate.class::cast)
                  .toList();
          try {
            return new KeyMaterial.Identity(key, chain).checked(store.file(), Instant.now());
          } catch (TlsException e) {
            why = why == null ? e : why;
          }
        }
      }
      throw why != null
          ? why
          : new TlsException(store.file(), "no private key in it", "name the right keystore");
    } catch (UnrecoverableKeyException e) {
      throw new TlsException(
          store.file(),
          "the password of the private key in it is wrong",
          "correct the key password beside this key",
          e);
    } catch (GeneralSecurityException e) {
      throw new TlsException(store.file(), "cannot be used: " + e.getMessage(), "replace it", e);
    }
  }

  private static List<X509Certificate> trusted(Store store) throws TlsException {
    KeyStore certificates = open(store);
    List<X509Certificate> found = new ArrayList<>();
    try {
      for (String alias : aliases(certificates)) {
        if (certificates.isCertificateEntry(alias)
            && certificates.getCertificate(alias) instanceof X509Certificate certificate) {
          found.add(certificate);
        }
      }
    } catch (KeyStoreException e) {
      throw new TlsException(store.file(), "cannot be used: " + e.getMessage(), "replace it", e);
    }
    if (found.isEmpty()) {
      throw new TlsException(
          store.file(),
          "no trusted certificate in it",
          "import the authority's with 'keytool -importcert', or correct the password");
    }
    return found;
  }

  private static List<String> aliases(KeyStore store) throws KeyStoreException {
    return Collections.list(store.aliases()).stream().sorted().toList();
  }

  private static KeyStore open(Store store) throws TlsException {
    byte[] bytes = store.file().read();
    try {
      KeyStore opened = KeyStore.getInstance(store.type());
      opened.load(
          new ByteArrayInputStream(bytes),
          store.password().isEmpty() ? null : store.password().value());
      return opened;
    } catch (KeyStoreException e) {
      throw new TlsException(
          store.file(),
          "its type is '" + store.type() + "', which this JVM does not know",
          "use jks or pkcs12",
          e);
    } catch (IOException e) {
      boolean password = e.getCause() instanceof UnrecoverableKeyException;
      throw new TlsException(
          store.file(),
          password ? "its password is wrong" : "no keystore of type " + store.type(),
          password ? "correct the password beside this key" : "correct the type, or the file",
          e);
    } catch (GeneralSecurityException e) {
      throw new TlsException(store.file(), "cannot be used: " + e.getMessage(), "replace it", e);
    }
  }
}
