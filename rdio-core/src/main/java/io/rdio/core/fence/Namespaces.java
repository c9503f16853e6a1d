// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What a host sees of NVMe namespaces, as whole disks: that is what is reserved. */
public interface Namespaces {
  /**
   * One of them.
   *
   * @param wwid the same on each host
   * @param node here
   */
  record Namespace(String wwid, Path node) {
    @Override
    public String toString() {
      return node + " (" + wwid + ")";
    }
  }

  /**
   * All that have a node here and a WWID; of several nodes of one, behind the others those whose
   * path does not work.
   */
  List<Namespace> all() throws IOException;

  /**
   * The one that a node stands for, or that its partition is on.
   *
   * @throws ReservationException UNSUPPORTED where it is no NVMe namespace with a WWID
   */
  Namespace of(Path node) throws IOException;

  /**
   * Whether this host has a file system of it, or of a partition of it, mounted; not seen are those
   * of {@link #holders}.
   */
  boolean isMounted(Namespace namespace) throws IOException;

  /**
   * What of this host lies on it, or on a partition of it, and may write to it: devices of LVM, md
   * and the like, for people. Not multipath, which is the namespace itself, nor what cannot be
   * written to.
   */
  List<String> holders(Namespace namespace) throws IOException;

  /** Its own node here, and those of its partitions. */
  List<Path> nodes(Namespace namespace) throws IOException;

  /**
   * How much this host has written to it and discarded on it, in the kernel's own words: others
   * than before if anything was since.
   *
   * @throws IOException also where the kernel does not count
   */
  String written(Namespace namespace) throws IOException;

  /** The way to its reservations. */
  Reservations open(Namespace namespace) throws IOException;
}
