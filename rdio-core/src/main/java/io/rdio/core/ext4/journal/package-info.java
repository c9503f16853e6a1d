// SPDX-License-Identifier: Apache-2.0
/**
 * The journal of an ext4 file system (jbd2), read and never replayed: {@link
 * io.rdio.core.ext4.journal.Journal} shows the file system as replaying it would leave it.
 *
 * <h2>The log</h2>
 *
 * <p>The journal is a file. Its first block says where the log starts and with which sequence; from
 * there the log goes on to its end, round the file if need be. A transaction is descriptors, each
 * with copies of blocks behind it, and revoke blocks, all with the transaction's sequence, and a
 * commit block, which reaches the device when all the rest has. Of several copies of a block the
 * last is valid. A revoke says that a block is no metadata any more: its copies of that transaction
 * and of all before it are void, or data of the block's next owner would be taken for what they
 * were.
 *
 * <p>The log ends in front of the first transaction that is not whole. Behind it there are blocks
 * of earlier rounds, which look like transactions, so three things tell (see {@link
 * io.rdio.core.ext4.journal.LogEnd}): a block with the wrong sequence, a commit block whose
 * checksum is wrong, a time of commit before that of the transaction in front and before the mount.
 * A transaction that was committed and is damaged is an error: the file system's state is not known
 * then. One that is damaged and has no commit block is what a writer left that died, and no
 * transaction.
 *
 * <p>Within one mount the sequence alone tells, for it only grows. From one mount to the next it
 * need not: a tool that replays a log without noting how far that went has the next writer count
 * through the same sequences again, over the old log (e2fsprogs issue 120, lwext4 issue 86). Such
 * an old transaction is older than the mount. One that is only older than that in front of it is
 * the next one, by a clock that was set back. The kernel, when it replays, does not look at the
 * time of a transaction whose checksums hold.
 *
 * <h2>A writer that goes on</h2>
 *
 * <p>The writer moves the log's start, in the first block, before it uses blocks again that are in
 * front of it. So what was read between two looks at the first block is whole unless the start has
 * passed it, and then it is read again. Copies that were checkpointed are forgotten: the device has
 * them, or newer ones. A copy is verified when it is read, by its checksum or, in a journal
 * without, by another look at the start; where that has passed the copy, the device's block is the
 * answer. So blocks read one behind the other need not be of one moment: who relies on several
 * looks again.
 *
 * <p>Not read: journals on other devices, asynchronous commits and checksums of version 1, which
 * are refused by name.
 *
 * <p>Source: Documentation/filesystems/ext4/journal.rst of Linux.
 */
@NullMarked
package io.rdio.core.ext4.journal;

import org.jspecify.annotations.NullMarked;
