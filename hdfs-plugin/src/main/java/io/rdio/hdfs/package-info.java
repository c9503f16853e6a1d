// SPDX-License-Identifier: Apache-2.0
/** What Hadoop's users see of RDIO: its configuration keys. */
package io.rdio.hdfs;
