// SPDX-License-Identifier: Apache-2.0
/**
 * What RDIO keeps on a volume of the DataNode: the links that pin replicas, the witness, the lock;
 * and what it must know of the replicas there. Nothing here knows of leases.
 */
@NullMarked
package io.rdio.datanode.volume;

import org.jspecify.annotations.NullMarked;
