// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

/**
 * What written files cost a link: so much for each byte of theirs, and so much for a file however
 * long it is, which is what messages, the file system's journal and a slot that is made anew take.
 *
 * @param perByte bytes on the link for one of the file
 * @param perFile bytes on the link for a file besides
 */
record WriteCost(double perByte, double perFile) {
  /**
   * One file.
   *
   * @param bytes of it
   * @param carried by the link
   */
  record Carried(long bytes, long carried) {}

  /**
   * Told by two files that are alike but for their length.
   *
   * @param larger of more bytes
   */
  static WriteCost of(Carried smaller, Carried larger) {
    long bytes = larger.bytes() - smaller.bytes();
    if (bytes <= 0) {
      throw new IllegalArgumentException(larger + " is not of more bytes than " + smaller);
    }
    double perByte = (double) (larger.carried() - smaller.carried()) / bytes;
    return new WriteCost(perByte, smaller.carried() - perByte * smaller.bytes());
  }
}
