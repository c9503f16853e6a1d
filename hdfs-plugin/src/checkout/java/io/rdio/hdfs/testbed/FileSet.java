// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

/**
 * Files of one size.
 *
 * @param name of all of them, up to a number from 0 on
 */
record FileSet(String name, int count, long bytesEach) {
  long bytes() {
    return count * bytesEach;
  }
}
