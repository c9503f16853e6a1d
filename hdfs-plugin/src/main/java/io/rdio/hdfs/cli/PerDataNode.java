// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackException;
import io.rdio.core.thread.DaemonThreads;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.jspecify.annotations.Nullable;

/** One question to many DataNodes, several at a time: dead ones must not add up their timeouts. */
final class PerDataNode {
  private static final int THREADS = 32;

  private PerDataNode() {}

  /** A question; must itself end in bounded time. */
  interface Question<T> {
    T ask(DatanodeInfo dataNode) throws FallbackException, IOException;
  }

  /** What a DataNode answered, or why there is no answer. Exactly one of the two is there. */
  record Answer<T>(DatanodeInfo dataNode, @Nullable T value, @Nullable Exception failure) {
    String name() {
      return dataNode.getXferAddr();
    }
  }

  /** The answers, in the order of the DataNodes. */
  static <T> List<Answer<T>> ask(List<DatanodeInfo> dataNodes, Question<T> question)
      throws IOException {
    ExecutorService pool =
        Executors.newFixedThreadPool(
            Math.max(1, Math.min(THREADS, dataNodes.size())), new DaemonThreads("rdio-ask"));
    try {
      List<Callable<Answer<T>>> tasks = new ArrayList<>();
      dataNodes.forEach(dataNode -> tasks.add(() -> answer(dataNode, question)));
      List<Answer<T>> answers = new ArrayList<>();
      for (Future<Answer<T>> future : pool.invokeAll(tasks)) {
        answers.add(future.get());
      }
      return answers;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while asking DataNodes");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private static <T> Answer<T> answer(DatanodeInfo dataNode, Question<T> question) {
    try {
      return new Answer<>(dataNode, question.ask(dataNode), null);
    } catch (FallbackException | IOException e) {
      return new Answer<>(dataNode, null, e);
    }
  }
}
