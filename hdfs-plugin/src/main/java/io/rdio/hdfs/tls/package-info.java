// SPDX-License-Identifier: Apache-2.0
/** What configurations say about TLS on the metadata plane, for client and DataNode. */
@NullMarked
package io.rdio.hdfs.tls;

import org.jspecify.annotations.NullMarked;
