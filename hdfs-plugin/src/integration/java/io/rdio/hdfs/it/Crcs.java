// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

/**
 * Whether a client checks CRCs. HBase's does not, for its files have checksums of their own: then
 * nothing but the guard keeps another file's bytes from a reader.
 */
public enum Crcs {
  CHECKED,
  UNCHECKED
}
