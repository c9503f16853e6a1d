// SPDX-License-Identifier: Apache-2.0
/** What the DataNode and the agents that write to its devices have to agree on. */
@NullMarked
package io.rdio.core.write;

import org.jspecify.annotations.NullMarked;
