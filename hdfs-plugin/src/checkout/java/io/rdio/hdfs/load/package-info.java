// SPDX-License-Identifier: Apache-2.0
/**
 * {@code rdio load}: a throwaway cluster that several applications keep busy, and whose metrics
 * Prometheus can scrape.
 */
@NullMarked
package io.rdio.hdfs.load;

import org.jspecify.annotations.NullMarked;
