// SPDX-License-Identifier: Apache-2.0
/** Real loop devices and file systems for integration tests, of this module and of others. */
@NullMarked
package io.rdio.core.testing;

import org.jspecify.annotations.NullMarked;
