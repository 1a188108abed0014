# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Values that are under way: asked for now, polled on every tick, never waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from concurrent.futures import Future as ThreadFuture
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

T = TypeVar('T')
U = TypeVar('U')
T_co = TypeVar('T_co', covariant=True)
E = TypeVar('E', bound=Exception)
P = ParamSpec('P')


class Future(Protocol[T_co]):
    """A value that is under way; None is not a value."""

    def poll(self) -> T_co | None:
        """Return the value once it is there, and the same ever after, else None; never waits.

        Raises:
            Exception: the error with which it failed, such as a ModelError.
        """

    def cancel(self) -> None:
        """Give the value up; calling it again, or after the value, does nothing."""


class Promise(Generic[T]):
    """A future that is completed from any thread (``Future``); only its first end counts.

    ``concurrent.futures.Future`` does not serve: it runs what is chained on the thread that sets
    the result, and cannot be canceled once it runs. Here what is chained runs in ``poll``, on the
    thread that ticks, where working memory and ROS clients may be used; and ``cancel`` always
    reaches the worker, exactly once.

    Args:
        on_cancel: called once, if it is canceled before it has ended.
    """

    def __init__(self, on_cancel: Callable[[], object] = lambda: None) -> None:
        self._on_cancel = on_cancel
        self._lock = threading.Lock()
        self._value: T | None = None
        self.error: BaseException | None = None
        """Why there will be no value; None if it has not failed."""
        self.ended = False
        """Whether it was completed, has failed or was canceled."""

    def complete(self, value: T) -> None:
        """Set the value."""
        self._end(value, None)

    def fail(self, error: BaseException) -> None:
        """Set the error that ``poll`` raises."""
        self._end(None, error)

    def poll(self) -> T | None:
        """Return the value once it is there, and the same ever after, else None; never waits."""
        if self.error is not None:
            raise self.error
        return self._value

    def cancel(self) -> None:
        """Give the value up; calling it again, or after the value, does nothing."""
        if self._end(None, None):
            self._on_cancel()

    def _end(self, value: T | None, error: BaseException | None) -> bool:
        with self._lock:
            if self.ended:
                return False
            self._value, self.error, self.ended = value, error, True
            return True


class Polled(Promise[T]):
    """A future that looks for its value on each poll until it has ended.

    Args:
        look: returns the value once it is there, else None; what it raises is the future's error.
        on_cancel: called once, if it is canceled before it has ended.
    """

    def __init__(
        self, look: Callable[[], T | None], on_cancel: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__(on_cancel)
        self._look = look
        self._looking = threading.Lock()

    def poll(self) -> T | None:
        """Return the value once it is there, and the same ever after, else None; never waits."""
        if not self.ended and self._looking.acquire(blocking=False):
            try:
                value = self._look()
            except Exception as error:
                self.fail(error)
            else:
                if value is not None:
                    self.complete(value)
            finally:
                self._looking.release()
        return super().poll()


def ready(value: T) -> Promise[T]:
    """Return a future that has its value from the start."""
    promise = Promise[T]()
    promise.complete(value)
    return promise


def failed(error: Exception) -> Promise[Any]:
    """Return a future that has failed from the start."""
    promise = Promise[Any]()
    promise.fail(error)
    return promise


def submit(
    threads: Executor, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> Promise[T]:
    """Return what a function returns that is called on another thread.

    Canceled, it is not called; once started it finishes, and its value is dropped.
    """

    def over(end: ThreadFuture[T]) -> None:
        error = end.exception() if not end.cancelled() else None
        if error is not None:
            promise.fail(error)
        elif not end.cancelled():
            promise.complete(end.result())

    call = threads.submit(function, *args, **kwargs)
    promise = Promise[T](call.cancel)
    call.add_done_callback(over)
    return promise


def then(first: Future[T], follow: Callable[[T], Future[U]]) -> Promise[U]:
    """Return the future that ``follow`` makes of the value of another; it is called once."""

    def step() -> Future[U] | None:
        value = first.poll()
        return follow(value) if value is not None else None

    return _Chain(first, step)


def mapped(first: Future[T], change: Callable[[T], U]) -> Promise[U]:
    """Return what ``change`` makes of the value of a future; it is called once."""
    return then(first, lambda value: ready(change(value)))


def otherwise(first: Future[T], kind: type[E], follow: Callable[[E], Future[T]]) -> Promise[T]:
    """Return a future, or what ``follow`` makes of an error of a kind; it is called once."""

    def step() -> Future[T] | None:
        try:
            value = first.poll()
        except kind as error:
            return follow(error)
        return ready(value) if value is not None else None

    return _Chain(first, step)


def gather(*futures: Future[Any]) -> Promise[tuple[Any, ...]]:
    """Return the values of all futures in their order; canceled, it cancels all of them."""

    def look() -> tuple[Any, ...] | None:
        values = tuple([one.poll() for one in futures])
        return None if any(value is None for value in values) else values

    return Polled(look, lambda: _cancel(futures))


def first_of(futures: Sequence[Future[T]], counts: Callable[[T], object], none: T) -> Promise[T]:
    """Return the first value that counts; then, or canceled, it cancels all of the futures.

    Args:
        futures: of several that have theirs, the first in this order is taken.
        counts: whether a value counts.
        none: the value if all have theirs and none counts.
    """

    def look() -> T | None:
        values = [one.poll() for one in futures]
        for value in values:
            if value is not None and counts(value):
                _cancel(futures)
                return value
        return None if any(value is None for value in values) else none

    return Polled(look, lambda: _cancel(futures))


def _cancel(futures: Sequence[Future[Any]]) -> None:
    for one in futures:
        one.cancel()


class _Chain(Polled[T]):
    """A future, and then the one that is made of its end."""

    def __init__(self, first: Future[Any], step: Callable[[], Future[T] | None]) -> None:
        super().__init__(self._go, self._stop)
        self._first = first
        self._step = step
        self._next: Future[T] | None = None

    def _go(self) -> T | None:
        if self._next is None:
            self._next = self._step()
            if self._next is None:
                return None
            if self.ended:  # canceled meanwhile
                self._next.cancel()
        return self._next.poll()

    def _stop(self) -> None:
        (self._first if self._next is None else self._next).cancel()
