// SPDX-License-Identifier: Apache-2.0
/**
 * {@code rdio demo}: the same file read by stock HDFS and by RDIO on a throwaway cluster, checked
 * and compared.
 */
@NullMarked
package io.rdio.hdfs.demo;

import org.jspecify.annotations.NullMarked;
