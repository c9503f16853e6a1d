// SPDX-License-Identifier: Apache-2.0
/**
 * The flash tier of the block data cache (S3-FIFO paper, §5.4): what memory evicts goes to a local
 * file if it was hit there, or if it was evicted before and a ghost queue as large as the file
 * remembers it; all else is never written. The file is the main queue, a log of regions of 2 MiB
 * that are written with O_DIRECT one after the other, round and round: before a region is written
 * again, those of its chunks that were hit move on to its new content, at most half of it, and the
 * rest is evicted.
 *
 * <p>What lies where is known in memory alone: a program that starts, after a crash or not, drops
 * all that the file has. No byte of the file is trusted: a sum in memory, of the chunk's name, its
 * bytes and a number that each start draws, says what must be read.
 *
 * <p>Neither way goes by io_uring. A region is one write of 2 MiB, the next one begins when it has
 * ended, and nobody waits for it but the tier's own thread: at 10^9 bytes a second these are some
 * 500 calls. A chunk is read by the thread that wants it, by one pread, for its sum must be checked
 * before anything else can be done; with one read under way a queue would wait as long. What a
 * queue would give is several chunks of one large read under way together, which now come one after
 * the other: {@link io.rdio.core.device.ReadQueue} could read this file, too, but {@link
 * io.rdio.client.datacache.BlockDataCache} asks for one chunk at a time.
 *
 * <p>{@link io.rdio.client.datacache.flash.FlashTier} gives right bytes or none; {@code FlashIndex}
 * knows what lies where, {@code Region} is memory for what is not written yet, {@code RegionLog}
 * has the regions in their order, {@code SharedLog} is that for several threads, {@code
 * RegionWriter} the thread that writes them, and {@link
 * io.rdio.client.datacache.flash.LocalFlashFile} is the file, which {@code FlashFileLock} keeps
 * others from.
 */
@NullMarked
package io.rdio.client.datacache.flash;

import org.jspecify.annotations.NullMarked;
