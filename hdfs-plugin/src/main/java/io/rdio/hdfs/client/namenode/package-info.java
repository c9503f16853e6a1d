// SPDX-License-Identifier: Apache-2.0
/** RDIO's own clients of NameNodes, and what NameNodes said before. */
package io.rdio.hdfs.client.namenode;
