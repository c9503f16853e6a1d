// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

/**
 * How the files of a {@link SteppedClient} lie on their blocks.
 *
 * @param replication of a file of replicas; 1 of one that is erasure coded, as its folder says
 * @param block bytes of a block
 * @param dataUnits blocks of data in a group; 1 where there are none
 */
record SteppedShape(int replication, int block, int dataUnits) {
  /** Bytes of a file in each of its blocks, or groups, that are full. */
  int blockData() {
    return block * dataUnits;
  }
}
