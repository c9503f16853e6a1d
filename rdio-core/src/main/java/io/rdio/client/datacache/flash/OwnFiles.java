// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Regular files of this process's user alone. */
final class OwnFiles {
  static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-------");

  // Of st_mode, as stat(2) has it.
  private static final int TYPE_MASK = 0xF000;
  private static final int REGULAR_FILE = 0x8000;

  private static final Pattern EFFECTIVE_USER = Pattern.compile("\nUid:\\s+\\d+\\s+(\\d+)");

  private OwnFiles() {}

  static FileAttribute<Set<PosixFilePermission>> ownersAlone() {
    return PosixFilePermissions.asFileAttribute(MODE);
  }

  /** The one path of a file, which need not be there, through no symbolic link of its folders. */
  static Path place(Path path) throws IOException {
    Path absolute = path.toAbsolutePath();
    Path folder = absolute.getParent();
    Path name = absolute.getFileName();
    if (folder == null || name == null) {
      throw new IOException(path + " is not a regular file");
    }
    try {
      return folder.toRealPath().resolve(name);
    } catch (IOException e) {
      throw new IOException("the folder of " + path + " cannot be used: " + e, e);
    }
  }

  /** Throws unless it is a file of this user's alone, or is not there and need not be. */
  static void check(Path path, boolean required) throws IOException {
    Map<String, Object> found;
    try {
      found = Files.readAttributes(path, "unix:mode,uid,nlink", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      if (required) {
        throw e;
      }
      return;
    }
    if ((number(found, "mode") & TYPE_MASK) != REGULAR_FILE) {
      throw new IOException(path + " is not a regular file (symbolic links are not followed)");
    }
    if (number(found, "nlink") != 1) {
      throw new IOException(path + " has another name (a hard link)");
    }
    if (number(found, "uid") != effectiveUser()) {
      throw new IOException(path + " belongs to user " + number(found, "uid"));
    }
  }

  private static int number(Map<String, Object> attributes, String name) {
    return (Integer) Objects.requireNonNull(attributes.get(name));
  }

  private static int effectiveUser() throws IOException {
    Matcher users = EFFECTIVE_USER.matcher(Files.readString(Path.of("/proc/self/status")));
    if (users.find()) {
      return (int) Long.parseLong(users.group(1));
    }
    throw new IOException("/proc/self/status does not say whose this process is");
  }
}
