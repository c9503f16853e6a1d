// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file and the configuration key that names it, for errors that say where to look.
 *
 * @param key and, where it is not obvious, the configuration file that the key is in
 */
public record NamedFile(String key, Path path) {
  private static final Logger LOG = LoggerFactory.getLogger(NamedFile.class);
  private static final int BYTES_MAX = 4 << 20;

  byte[] read() throws TlsException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(BYTES_MAX);
      if (bytes.length == BYTES_MAX) {
        throw new TlsException(this, "longer than 4 MiB", "name the right file");
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw new TlsException(this, "no such file", "put it there, or correct the key", e);
    } catch (AccessDeniedException e) {
      String user = System.getProperty("user.name", "this user");
      throw new TlsException(this, "not readable for " + user, "make " + user + " its owner", e);
    } catch (IOException e) {
      throw new TlsException(this, "cannot be read: " + e.getMessage(), "mend the file", e);
    }
  }

  /** Refuses a private key that everybody on the host may read or replace. */
  void requireSecret() throws TlsException {
    Set<PosixFilePermission> allowed = permissions();
    if (allowed.contains(PosixFilePermission.OTHERS_READ)
        || allowed.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new TlsException(
          this, "everybody may read or write this private key", "chmod 600 " + path);
    }
    warnIfGroupMayRead(allowed);
  }

  /** Warns of a file with secrets, under a password, that others than its owner may read. */
  void warnUnlessSecret() throws TlsException {
    Set<PosixFilePermission> allowed = permissions();
    if (allowed.contains(PosixFilePermission.OTHERS_READ)) {
      LOG.warn("RDIO: {} is '{}': everybody may read it; chmod 600 {}", key, path, path);
    } else {
      warnIfGroupMayRead(allowed);
    }
  }

  private void warnIfGroupMayRead(Set<PosixFilePermission> allowed) {
    if (allowed.contains(PosixFilePermission.GROUP_READ)
        || allowed.contains(PosixFilePermission.GROUP_WRITE)) {
      LOG.warn("RDIO: {} is '{}': its group may read or write it; chmod 600 {}", key, path, path);
    }
  }

  private Set<PosixFilePermission> permissions() throws TlsException {
    try {
      return Files.getPosixFilePermissions(path);
    } catch (UnsupportedOperationException e) {
      return Set.of(); // a file system without them has other ways, which are not ours to judge
    } catch (IOException e) {
      throw new TlsException(
          this, "its permissions cannot be read: " + e, "put it there, or correct the key", e);
    }
  }
}
