// SPDX-License-Identifier: Apache-2.0
/**
 * {@code bench objects}: whole files of many sizes, opened, read and closed, with their maps in the
 * FileMap cache and without.
 */
@NullMarked
package io.rdio.bench.objects;

import org.jspecify.annotations.NullMarked;
