// SPDX-License-Identifier: Apache-2.0
/**
 * What a process that reads or writes HDFS and the agent of its host say to each other, and the
 * process's end of it: the thin client. Classes for Java 8, so that clients on older JVMs can load
 * them, and few: a JVM that lives for a second pays for each.
 *
 * <h2>The conversation</h2>
 *
 * <p>A process has one <em>session</em> with the agent, and memory that it shares with it, its
 * <em>shared segment</em>: a sealed memfd. It says HELLO on a first connection and passes the
 * segment; further connections JOIN the session by the key that WELCOME told. Each connection is a
 * <em>lane</em>: for one thread at a time, so nobody waits for somebody else's answer.
 *
 * <pre>
 *   client                                       agent
 *   HELLO versions, name            -&gt;
 *                                  &lt;-            WELCOME version, limits, session, key
 *   SEGMENT length, + descriptor    -&gt;
 *                                  &lt;-            OK
 *   OPEN block, file, token         -&gt;           right checked, file map found; who wants little
 *                                                 is sent to stock HDFS while it is not here
 *                                  &lt;-            OPENED handle, length, checksum     or REFUSED
 *   READ handle, range, place       -&gt;           guard, io_uring into the segment (or a copy
 *                                               from the block data cache), guard
 *   READ ...                        -&gt;
 *                                  &lt;-            DONE where the bytes and the CRCs are  or REFUSED
 *   CLOSE handle                    -&gt;
 * </pre>
 *
 * <p>An agent that has no lane to spare says REFUSED as soon as somebody connects, whether or not
 * it was asked anything, and closes. STATUS in place of a HELLO is answered by a TEXT of figures,
 * and that is all of such a conversation.
 *
 * <p>A READ is for up to 1 MiB, to places of the segment side by side. A long piece is cut into
 * several READs, so that one is checked while the others come; one that is ALONE is answered before
 * the agent looks for more. Answers to the READs of a lane come in their order. The bytes of a DONE
 * were read under a valid guard; whether they match their CRCs is for the client to check, which it
 * does while it copies them ({@link io.rdio.nativeio.VerifyCopy}). A client that finds a chunk
 * wrong says MISMATCH, and the agent looks for itself before it believes it.
 *
 * <h2>A writer's conversation</h2>
 *
 * <p>A writer has a lane for itself, on which it writes one block at a time, of all its replicas.
 *
 * <pre>
 *   client                                       agent
 *   ALLOCATE block, file, targets   -&gt;           asks the NameNode whether it chose them, and each
 *                                                 of them for a slot
 *                                  &lt;-            ALLOCATED unit, bytes    or REFUSED_TARGET which
 *   WRITE offset, place, length     -&gt;           copies the CRCs, writes the bytes to all devices
 *   WRITE ...                       -&gt;
 *                                  &lt;-            WRITTEN targets that go on           or REFUSED
 *   COMMIT length                   -&gt;           flushes, has each DataNode commit
 *                                  &lt;-            COMMITTED targets that have it       or REFUSED
 * </pre>
 *
 * <p>WRITEs follow each other without a gap, whole units and whole chunks each, but the last one,
 * which says so. Several may be under way; behind one that is refused all are, until an ABORT. A
 * lane that ends gives its block up.
 *
 * <p>A group of erasure-coded blocks is written as one block: ALLOCATE_GROUP says how its bytes lie
 * on its targets, one for each of its blocks, and what follows is in the order of the file. A WRITE
 * is answered when the agent has copied it; a target that fails is told by a later answer,
 * COMMITTED at the latest, whose bits are those of blocks that are there, will be, or have no
 * bytes.
 *
 * <h2>Who trusts whom</h2>
 *
 * <p>The client trusts the agent, as it trusts a DataNode, but for the bytes, which it checks. The
 * agent trusts nobody: it takes nothing from the segment but one number that says whether it is in
 * use, and what a block is written of; it checks each message against its bounds, and the kernel
 * tells it whose process it talks to.
 *
 * <p>While a READ is under way the agent's kernel writes to its places. A lane that ends before the
 * answer leaves these undefined for good: the client drops the session with its segment and begins
 * another one.
 */
package io.rdio.agent.ipc;
