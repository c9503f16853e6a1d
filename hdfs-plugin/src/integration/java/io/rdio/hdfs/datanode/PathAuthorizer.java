// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.INodeAttributeProvider;
import org.apache.hadoop.hdfs.server.namenode.INodeAttributes;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * An authorizer of a NameNode of this JVM, as Apache Ranger hangs in: it denies users single paths
 * that the permissions of HDFS let them have, and leaves all else to the permissions.
 */
public final class PathAuthorizer extends INodeAttributeProvider {
  private static final Set<Denial> DENIALS = ConcurrentHashMap.newKeySet();

  private record Denial(String user, String path) {}

  /** From now on, until the next NameNode starts. */
  static void deny(String user, String path) {
    DENIALS.add(new Denial(user, path));
  }

  /** What it tells a user who is denied a path. */
  static String refusal(String user, String path) {
    return "Policy denies " + user + " the path " + path;
  }

  @Override
  public void start() {
    DENIALS.clear();
  }

  @Override
  public void stop() {
    DENIALS.clear();
  }

  @Override
  public INodeAttributes getAttributes(String[] pathElements, INodeAttributes inode) {
    return inode;
  }

  @Override
  public AccessControlEnforcer getExternalAccessControlEnforcer(AccessControlEnforcer permissions) {
    return new Enforcer(permissions);
  }

  private static void check(UserGroupInformation caller, String path)
      throws AccessControlException {
    String user = caller.getShortUserName();
    if (DENIALS.contains(new Denial(user, path))) {
      throw new AccessControlException(refusal(user, path));
    }
  }

  private static final class Enforcer implements AccessControlEnforcer {
    private final AccessControlEnforcer permissions;

    Enforcer(AccessControlEnforcer permissions) {
      this.permissions = permissions;
    }

    @Override
    public void checkPermissionWithContext(AuthorizationContext asked)
        throws AccessControlException {
      check(asked.getCallerUgi(), asked.getPath());
      permissions.checkPermissionWithContext(asked);
    }

    @Override
    public void checkSuperUserPermissionWithContext(AuthorizationContext asked)
        throws AccessControlException {
      permissions.checkSuperUserPermissionWithContext(asked);
    }

    /** Which no Hadoop calls that knows of contexts: 3.3 and later. */
    @Override
    @Deprecated
    public void checkPermission(
        String owner,
        String supergroup,
        UserGroupInformation caller,
        INodeAttributes[] attributes,
        INode[] inodes,
        byte[][] pathByName,
        int snapshot,
        String path,
        int ancestor,
        boolean checkOwner,
        FsAction ancestorAccess,
        FsAction parentAccess,
        FsAction access,
        FsAction subAccess,
        boolean ignoreEmptyDirectory)
        throws AccessControlException {
      throw new AccessControlException("The NameNode asked about " + path + " without a context");
    }
  }
}
