// SPDX-License-Identifier: Apache-2.0
/** The data plane: byte ranges of a block from the device, checksums verified, lease re-checked. */
@NullMarked
package io.rdio.client.read;

import org.jspecify.annotations.NullMarked;
