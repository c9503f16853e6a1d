// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.counters;

import java.util.concurrent.atomic.LongAdder;

/** What the device plane of one program did, counted. Thread-safe. */
public final class DeviceCounters {
  /** Maps that were given out. */
  public final LongAdder maps = new LongAdder();

  /** Looks at a journal: each at least two reads of a block. */
  public final LongAdder looks = new LongAdder();

  /** Readers whom a look served that another one had taken. */
  public final LongAdder looksShared = new LongAdder();

  /** Blocks of metadata that were in memory. */
  public final LongAdder blockHits = new LongAdder();

  /** Blocks of metadata that were read, and those of them that were in the log. */
  public final LongAdder blockReads = new LongAdder();

  public final LongAdder overlayHits = new LongAdder();

  /** Maps that were resolved, and tries at it that a commit came into. */
  public final LongAdder resolves = new LongAdder();

  public final LongAdder resolvesAgain = new LongAdder();

  /** Maps whose two files were compared, and those of them whose files had changed. */
  public final LongAdder comparisons = new LongAdder();

  public final LongAdder filesChanged = new LongAdder();

  /** File systems that were opened, and those of them that were mounted anew since. */
  public final LongAdder volumesOpened = new LongAdder();

  public final LongAdder mountsSeen = new LongAdder();
}
