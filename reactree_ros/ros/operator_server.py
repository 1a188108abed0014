# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Serves ``AskOperator`` for a person, who takes time."""

from __future__ import annotations

import os
import queue
import threading

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from reactree_interfaces.srv import AskOperator
from reactree_ros.ros.operator_client import OPERATOR_SERVICE


class OperatorServer:
    """Keeps a question open until somebody answers; the next one waits until then.

    Its callback waits for the person, so it has a node and a thread of its own.

    Args:
        namespace: of the planner; empty for none.
    """

    def __init__(self, namespace: str = '') -> None:
        self._question = ''
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._leaving = False
        self._node = Node(f'reactree_operator_{os.getpid()}', namespace=namespace)
        self._node.create_service(AskOperator, OPERATOR_SERVICE, self._on_question)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, name='operator', daemon=True)
        self._thread.start()

    @property
    def question(self) -> str:
        """The question that waits for an answer; empty if there is none."""
        return self._question

    def answer(self, text: str) -> None:
        """Answer the open question, if there is one; an empty answer declines it."""
        if self._question:
            self._question = ''
            self._answers.put(text)

    def close(self) -> None:
        """Decline what is open and leave ROS 2."""
        self._leaving = True
        self.answer('')
        self._executor.shutdown(timeout_sec=1.0)
        self._thread.join(timeout=1.0)
        self._node.destroy_node()

    def _on_question(
        self, request: AskOperator.Request, response: AskOperator.Response
    ) -> AskOperator.Response:
        question = ' '.join(request.question.split())
        if question and not self._leaving:
            self._question = question
            response.answer = self._answers.get()
            response.answered = bool(response.answer)
        return response
