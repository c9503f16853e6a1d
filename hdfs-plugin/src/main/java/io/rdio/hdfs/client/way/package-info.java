// SPDX-License-Identifier: Apache-2.0
/** The ways by which a block's bytes come to its reader, and which of them are tried in turn. */
package io.rdio.hdfs.client.way;
