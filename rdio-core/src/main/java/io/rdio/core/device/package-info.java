// SPDX-License-Identifier: Apache-2.0
/** Block devices: what identifies one on every host, finding it here, and reading it. */
@NullMarked
package io.rdio.core.device;

import org.jspecify.annotations.NullMarked;
