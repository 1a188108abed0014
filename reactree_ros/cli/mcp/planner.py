# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A planner that runs elsewhere: sends it goals, and follows what it does with them."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any

from reactree_interfaces.msg import PauseState
from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.cli.mcp.goal_state import GoalState, SentGoal, state_of
from reactree_ros.cli.memory.actions import most_alike, opened
from reactree_ros.cli.send import why_no_planner
from reactree_ros.cli.skills.spinning import spinning
from reactree_ros.errors import ConfigurationError, GoalError
from reactree_ros.models.local.encoder import LocalEncoder
from reactree_ros.planner.memory_setup import cached_encoder
from reactree_ros.ros.conversions import PAUSES, goal_to_msg
from reactree_ros.ros.goals.client import PlannerClient
from reactree_ros.ros.goals.operator_client import ASSISTANT_SERVICE
from reactree_ros.ros.goals.operator_server import OperatorServer
from reactree_ros.ros.goals.pause_server import PAUSE_TOPIC
from reactree_ros.ros.qos import LATEST
from reactree_ros.ros.viewer.listener import RunListener
from reactree_ros.skills.reader import library_at
from reactree_ros.viewer.history import RunHistory
from reactree_ros.viewer.run_index import RunIndex

_WAIT_SEC = 5.0
_ACCEPT_SEC = 15.0
_BEGIN_SEC = 1.0
_LOOK_SEC = 0.02
_KEPT = 100
"""Goals that were sent from here and are remembered."""
_ONLY_A_PERSON = (
    'what a person has to allow or decide is answered in the terminal of "reactree send --answer" '
    'or on the web page ("reactree view"), never over MCP'
)


class RemotePlanner:
    """A planner that runs elsewhere, now or later; a context manager.

    Its calls come from any thread. They raise GoalError, with a sentence for the user, if no
    planner answers. Goals that were sent go on when it is closed.

    While a goal of its own is not over, it answers the model's questions as the assistant
    (``core.operator``): at other times nobody looks at them.

    Args:
        namespace: of the planner; empty for none.
    """

    def __init__(self, namespace: str = '') -> None:
        self._namespace = namespace
        self._guard = threading.Lock()
        self._sent: dict[str, SentGoal] = {}
        self._under_way = 0
        self._operator: OperatorServer | None = None
        self._pause_state = ''
        self._leaving = False
        self._runs = RunIndex()

    def __enter__(self) -> RemotePlanner:
        """Join ROS 2."""
        with ExitStack() as made:
            self._node, executor = made.enter_context(spinning('mcp', namespace=self._namespace))
            self._listener = RunListener(self._node, self._runs)
            self._node.create_subscription(PauseState, PAUSE_TOPIC, self._on_pause, LATEST)
            thread = threading.Thread(target=executor.spin, name='mcp', daemon=True)
            thread.start()
            made.callback(thread.join, 1.0)
            made.callback(executor.shutdown)
            self._client = made.enter_context(PlannerClient(node=self._node))
            self._made = made.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave ROS 2."""
        self._leaving = True
        with self._guard:
            operator, self._operator = self._operator, None
        if operator is not None:
            operator.close()
        self._made.close()

    def send(
        self,
        goal: str,
        conditions: Sequence[str] = (),
        max_duration_sec: float = 0.0,
    ) -> GoalState:
        """Send a goal, and return as soon as it has begun, is queued, or has ended.

        Args:
            goal: what the robot should do, in plain language.
            conditions: what must hold in the end, in the predicates of the skill library.
            max_duration_sec: time limit; 0 for the planner's.

        Raises:
            GoalError: the planner rejected it, or does not answer.
        """
        self._require()
        message = goal_to_msg(goal, max_duration_sec=max_duration_sec, conditions=conditions)
        sent = SentGoal(goal)
        self._begin()
        threading.Thread(
            target=self._follow, args=(sent, message), name='goal', daemon=True
        ).start()
        if not sent.answered.wait(_ACCEPT_SEC):
            raise GoalError('the planner does not answer')
        if not sent.goal_id:
            raise GoalError(sent.fault)
        end = time.monotonic() + _BEGIN_SEC
        # one that can never be taken is accepted, too, and ends at once with the reason
        while not (sent.over or sent.waits or self._run(sent.goal_id)) and time.monotonic() < end:
            time.sleep(_LOOK_SEC)
        return self.state(sent.goal_id)

    def state(self, goal_id: str = '') -> GoalState:
        """Return the state of a goal; of the latest one for no id.

        Raises:
            GoalError: there is none, or no planner answers.
        """
        self._require()
        run, sent = self._find(goal_id)
        state = state_of(run, sent)
        state.pause_state = self._pause_state
        operator = self._operator
        if operator is not None and not state.over:
            state.questions = list(operator.questions)
        return state

    def tree(self, goal_id: str = '') -> tuple[str, tuple[BehaviourState, ...]]:
        """Return a goal and its tree as it is now; the latest one for no id.

        Raises:
            GoalError: there is none, or no planner answers.
        """
        self._require()
        run, sent = self._find(goal_id)
        goal = run.goal if run is not None else ''
        return goal or (sent.text if sent else ''), run.behaviours if run is not None else ()

    @property
    def latest_tree(self) -> tuple[BehaviourState, ...]:
        """The tree of the latest goal, another object after each change; never waits."""
        run = self._listener.latest
        return run.behaviours if run is not None else ()

    def cancel(self, goal_id: str) -> str:
        """Cancel a goal, whoever has sent it, and return what comes of that."""
        self._require()
        try:
            key = bytes.fromhex(goal_id)
        except ValueError:
            key = b''
        if len(key) != 16 or not any(key):
            raise GoalError('the id of a goal has 32 hexadecimal digits')
        found = _answered(self._client.cancel_goal(key))
        if not found:
            return 'there is no such goal to cancel: it has ended, or is ending'
        return 'canceling; the robot is brought to rest'

    def stop(self) -> str:
        """Cancel all goals, whoever has sent them, and return what comes of that."""
        self._require()
        return str(_answered(self._client.stop()))

    def pause(self, paused: bool) -> str:
        """Pause the planner, or let it continue, and return what comes of that."""
        self._require()
        return str(_answered(self._client.pause(paused)))

    def answer(self, question_id: str, text: str) -> str:
        """Answer a question of the model; an empty text declines it.

        Raises:
            GoalError: there is no such question, or that is not an answer to it.
        """
        self._require()
        operator = self._operator
        if operator is None:
            remark = _NOTHING
        elif reason := operator.reason(question_id):
            remark = f'{reason}; {_ONLY_A_PERSON}'
        else:
            remark = operator.answer(question_id, text)
        if remark:
            raise GoalError(remark)
        return 'answered' if text.strip() else 'declined'

    def skills(self) -> dict[str, Any]:
        """Return the skill library of the planner: its name, and each skill as plain data."""
        named, level = self._parameters('skills', 'operator.approval_risk_level')
        library = library_at(str(named)).approved_from(str(level))
        return {
            'library': library.name,
            'robot': library.agent,
            'skills': [
                {
                    'name': one.name,
                    'phrase': one.phrase,
                    'risk': one.risk,
                    'needs_approval_by_a_person': one.approval,
                }
                for one in library.skills
            ],
        }

    def experiences(self, text: str, limit: int) -> list[dict[str, Any]]:
        """Return what was learned from goals most like a text, the most alike first."""
        memory, encoder, skills = self._parameters('memory.store', 'model.encoder', 'skills')
        library = library_at(str(skills))
        embedding = cached_encoder(_encoder(str(encoder)))
        with opened(str(memory), embedding.encoder_name) as store:
            _, found = most_alike(store, embedding, text, limit, skills=library.name)
        return [
            {
                'likeness': round(one.score, 3),
                'goal': one.record.experience.goal,
                'ended': one.record.experience.termination.value,
                'verified_by': one.record.origin.verified.value,
                'text': one.record.experience.text,
            }
            for one in found
        ]

    def objects(self, text: str) -> list[dict[str, Any]]:
        """Return where things were last seen whose names have a text; empty for all."""
        self._require()
        run = self._listener.latest
        frames = run.frames if run is not None else ()
        known = next((one for one in reversed(frames) if one['kind'] == 'memory'), None)
        if known is None:
            raise GoalError('nothing was perceived yet: a goal begins with a look around')
        word = text.strip().casefold()
        return [
            {
                'name': one['name'],
                'room': one['room'],
                'where': one['where'],
                'states': one['states'],
            }
            for one in known['objects']
            if word in one['name'].casefold()
        ]

    def _require(self) -> None:
        if not self._client.wait_for_planner(_WAIT_SEC):
            raise GoalError(why_no_planner(self._client, _WAIT_SEC, self._namespace))

    def _parameters(self, *names: str) -> list[Any]:
        self._require()
        return list(_answered(self._client.parameters(*names)))

    def _find(self, goal_id: str) -> tuple[RunHistory | None, SentGoal | None]:
        wanted = goal_id.strip().casefold()
        if not wanted:
            latest = self._listener.latest
            wanted = latest.name if latest is not None else next(reversed(self._sent), '')
        run, sent = self._run(wanted), self._sent.get(wanted)
        if run is None and sent is None:
            raise GoalError(
                f'the goal {goal_id} is not known' if wanted else 'no goal was sent yet'
            )
        return run, sent

    def _run(self, goal_id: str) -> RunHistory | None:
        try:
            return self._runs.find(goal_id)
        except ConfigurationError:
            return None

    def _begin(self) -> None:
        with self._guard:
            self._under_way += 1
            if self._operator is None:
                self._operator = OperatorServer(self._node.get_namespace(), ASSISTANT_SERVICE)

    def _end(self) -> None:
        operator = None
        with self._guard:
            self._under_way -= 1
            if not self._under_way:
                operator, self._operator = self._operator, None
        if operator is not None and not self._leaving:
            operator.close()

    def _follow(self, sent: SentGoal, message: Any) -> None:
        """Send a goal and wait for its end, on a thread of its own."""

        def accepted(goal_id: bytes) -> None:
            sent.goal_id = goal_id.hex()
            self._sent = dict([*self._sent.items(), (sent.goal_id, sent)][-_KEPT:])
            sent.answered.set()

        def interrupted() -> bool:
            if self._leaving:
                raise GoalError('left')
            return False

        try:
            sent.result = self._client.run_goal(
                message, sent.listen, interrupted, accepted=accepted
            )
        except GoalError as error:
            sent.fault = str(error)
        finally:
            sent.answered.set()
            self._end()

    def _on_pause(self, message: PauseState) -> None:
        self._pause_state = PAUSES.word(message.state)


_NOTHING = f'nothing is asked that an assistant may answer; {_ONLY_A_PERSON}'


@cache
def _encoder(name: str) -> LocalEncoder:
    """Return the encoder of a name, which is loaded once."""
    return LocalEncoder(name)


def _answered(reply: Any) -> Any:
    if reply is None:
        raise GoalError('the planner does not answer')
    return reply
