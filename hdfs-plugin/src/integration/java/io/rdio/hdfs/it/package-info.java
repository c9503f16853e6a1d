// SPDX-License-Identifier: Apache-2.0
/** The whole of RDIO on real daemons, file systems and devices. */
package io.rdio.hdfs.it;
