// SPDX-License-Identifier: Apache-2.0
/**
 * {@code rdio testbed}, the part inside the virtual machine: HDFS on hosts that an NVMe/TCP fabric
 * joins, the bytes on each link per byte read or written, and faults of the fabric. The scripts in
 * {@code bin/lib/testbed} boot the machine and make the hosts.
 */
@NullMarked
package io.rdio.hdfs.testbed;

import org.jspecify.annotations.NullMarked;
