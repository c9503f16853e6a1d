// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.rdio.core.thread.Failures;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Answers the calls of a plane, whatever comes of them. Thread-safe. */
final class ServerAnswers {
  private static final long ANSWER_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(500);

  private final String plane;
  private final Failures failures;

  /**
   * @param failures told of what should not be
   */
  ServerAnswers(String plane, Failures failures) {
    this.plane = plane;
    this.failures = failures;
  }

  /** Makes an answer. */
  @FunctionalInterface
  interface Answer<T> {
    T make() throws ServerRequestException;
  }

  /** Serves a call, or has it answered elsewhere. */
  @FunctionalInterface
  interface Service {
    void serve() throws ServerRequestException;
  }

  <T> void answer(StreamObserver<T> observer, Answer<T> answer) {
    serve(
        observer,
        () -> {
          observer.onNext(answer.make());
          observer.onCompleted();
        });
  }

  /**
   * Serves a call, or answers it with why not.
   *
   * @return whether it was served
   */
  boolean serve(StreamObserver<?> observer, Service service) {
    try {
      service.serve();
      return true;
    } catch (ServerRequestException e) {
      observer.onError(e.status().asRuntimeException());
    } catch (Throwable e) {
      failed(observer, e);
    }
    return false;
  }

  /** Whatever was thrown, the client gets an answer. */
  void failed(StreamObserver<?> observer, Throwable failure) {
    failures.failed("a call of the " + plane, failure);
    try {
      observer.onError(
          Status.INTERNAL.withDescription("see the DataNode's log").asRuntimeException());
    } catch (Throwable answeredBefore) {
      failures.failed("answering a call that failed", answeredBefore);
    }
  }

  static ServerRequestException tooMany(String what, @Nullable Throwable cause) {
    return new ServerRequestException(
        Status.RESOURCE_EXHAUSTED
            .withDescription("too many " + what + " are under way on this DataNode")
            .withCause(cause));
  }

  /**
   * How long the client will wait, less the time of the answer's way: a refusal costs it less than
   * a call that fails.
   *
   * @param longest where the client says nothing
   */
  static long patienceNanos(long longest) {
    Deadline deadline = Context.current().getDeadline();
    if (deadline == null) {
      return longest;
    }
    long remaining = deadline.timeRemaining(TimeUnit.NANOSECONDS);
    return remaining - Math.min(remaining / 4, ANSWER_NANOS_MAX);
  }
}
