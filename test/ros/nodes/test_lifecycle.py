# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner as a lifecycle node: what each state offers, and what it takes to leave it."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.parameter import Parameter

from reactree_interfaces.srv import Observe

from ...goal_results import in_words

pytestmark = pytest.mark.ros

GOAL = 'look into the bathroom'
LINES = ['Think: it is there', 'Act: go to bathroom 1', 'Act: go to kitchen 1', 'Act: done']
SCRIPT = {f'{GOAL} {number}': LINES for number in range(1, 6)}
NODE = 'reactree_planner'


class Manager:
    """Asks for transitions and parameters, as ``ros2 lifecycle`` and ``ros2 param`` do."""

    def __init__(self, system: Any) -> None:
        self.system = system
        self.health: list[DiagnosticStatus] = []
        node = system.spinner.node
        node.create_subscription(
            DiagnosticArray, '/diagnostics', lambda told: self.health.extend(told.status), 10
        )
        self._clients = {
            kind: node.create_client(kind, f'{NODE}/{name}')
            for kind, name in (
                (ChangeState, 'change_state'),
                (GetState, 'get_state'),
                (SetParameters, 'set_parameters'),
                (DescribeParameters, 'describe_parameters'),
            )
        }

    def ask(self, kind: Any, **fields: Any) -> Any:
        client = self._clients[kind]
        until = self.system.spinner.until
        until(client.service_is_ready, f'{client.srv_name} is there')
        if kind is GetState:
            # A client is ready before the server can answer it: the first answers may be lost.
            asked: list[tuple[float, Any]] = []

            def answered() -> Any:
                now = time.monotonic()
                if not asked or now > asked[-1][0] + 1.0:
                    asked.append((now, client.call_async(kind.Request(**fields))))
                return next((future for _, future in asked if future.done()), None)

            return until(answered, f'{client.srv_name} answers', seen=self.system.log).result()
        future = client.call_async(kind.Request(**fields))
        until(future.done, f'{client.srv_name} answers', seen=self.system.log)
        return future.result()

    @property
    def state(self) -> str:
        return str(self.ask(GetState).current_state.label)

    def change(self, label: str) -> bool:
        """Ask for a transition and return whether it succeeded."""
        transition = Transition(id=getattr(Transition, f'TRANSITION_{label.upper()}'))
        return bool(self.ask(ChangeState, transition=transition).success)

    def diagnosed(self, level: bytes, message: str, **values: str) -> None:
        """Wait until the planner's health is as expected."""

        def told() -> bool:
            return any(
                one.level == level
                and message in one.message
                and values.items()
                <= {pair.key.replace(' ', '_'): pair.value for pair in one.values}.items()
                for one in self.health[-1:]
            )

        self.system.spinner.until(told, f'{message} {values} is diagnosed', seen=self.health)

    def set(self, name: str, value: Any) -> str:
        """Set a parameter and return why that is not possible."""
        message = Parameter(name, value=value).to_parameter_msg()
        (result,) = self.ask(SetParameters, parameters=[message]).results
        assert result.successful is not bool(result.reason)
        return str(result.reason)

    def serves(self, expected: bool) -> None:
        self.system.spinner.until(
            lambda: self.system.planner.server_is_ready() is expected,
            f'the action is {"there" if expected else "gone"}',
        )


@pytest.fixture(scope='module')
def manager(start_system: Callable[..., Any]) -> Iterator[Manager]:
    bridge = {'room': 'kitchen 1', 'skill_duration_sec': 0.5}
    planner = {
        'autostart': False,
        'diagnostics_period_sec': 0.1,
    }
    with start_system(SCRIPT, planner, bridge) as system:
        system.logs('waiting to be configured and activated')
        yield Manager(system)


def test_it_goes_through_its_states(manager: Manager) -> None:
    system = manager.system
    assert manager.state == 'unconfigured'
    manager.diagnosed(DiagnosticStatus.OK, 'unconfigured', state='unconfigured')
    assert not system.planner.server_is_ready()
    assert manager.set('agent.max_repetitions', 4) == ''
    assert manager.set('diagnostics_period_sec', 3600.0) == ''
    time.sleep(0.3)
    heard = len(manager.health)
    time.sleep(0.5)
    assert len(manager.health) == heard
    assert manager.set('diagnostics_period_sec', 0.1) == ''
    assert manager.change('configure')
    assert manager.state == 'inactive'
    if importlib.util.find_spec('py_trees_ros') is None:
        system.logs("py_trees_ros cannot be imported (No module named 'py_trees_ros')")
    assert not system.planner.server_is_ready()
    assert manager.change('activate')
    manager.serves(True)
    answer = system.result(system.send(goal=f'{GOAL} 1'))
    assert answer.result.status == 'succeeded', answer.result.message
    manager.diagnosed(DiagnosticStatus.OK, 'ready', state='active', goals_succeeded='1')
    assert manager.health[-1].name == f'{NODE}: planner'
    assert manager.change('deactivate')
    manager.serves(False)
    assert manager.state == 'inactive'
    assert manager.change('activate')
    manager.serves(True)


def test_parameters_change_where_it_is_safe(manager: Manager) -> None:
    system = manager.system
    only = 'parameter tick_hz can be changed in the lifecycle state unconfigured only'
    assert manager.set('tick_hz', 30.0) == only
    assert 'out of range. Min: 1' in manager.set('limits.max_decisions', 0)
    described = manager.ask(
        DescribeParameters, names=['tick_hz', 'limits.max_decisions']
    ).descriptors
    assert [one.read_only for one in described] == [False, False]
    assert 'in the lifecycle state unconfigured' in described[0].additional_constraints
    assert 'at any time' in described[1].additional_constraints
    assert manager.set('limits.max_decisions', 2) == ''
    answer = system.result(system.send(goal=f'{GOAL} 2'))
    assert (answer.result.status, answer.result.reason) == ('failed', 'max_decisions')
    assert manager.set('limits.max_decisions', 200) == ''
    answer = system.result(system.send(goal=f'{GOAL} 3'))
    assert answer.result.status == 'succeeded'


def test_a_running_goal_is_cancelled_before_it_is_inactive(manager: Manager) -> None:
    system = manager.system
    handle = system.send(goal=f'{GOAL} 4')
    system.happens('act', 'go to bathroom 1')
    manager.diagnosed(DiagnosticStatus.OK, 'a goal is running', goal=f'{GOAL} 4')
    ended = handle.get_result_async()
    assert manager.change('deactivate')
    assert manager.state == 'inactive'
    answer = in_words(system.spinner.until(ended.result, 'the goal has ended'))
    assert answer.result.status == 'canceled'
    assert 'the planner is not active' in answer.result.message
    manager.diagnosed(DiagnosticStatus.OK, 'not active', last_goal='canceled (canceled)')
    assert manager.change('cleanup')
    assert manager.state == 'unconfigured'


def test_what_cannot_be_configured_stays_unconfigured(manager: Manager) -> None:
    assert manager.set('skills', 'nobody') == ''
    assert not manager.change('configure')
    assert manager.state == 'unconfigured'
    manager.system.logs("not configured: parameter skills is 'nobody'")
    manager.diagnosed(DiagnosticStatus.ERROR, "parameter skills is 'nobody'")
    assert not manager.change('activate')
    assert manager.set('skills', 'household') == ''
    assert manager.change('configure')
    assert manager.change('activate')
    manager.serves(True)
    answer = manager.system.result(manager.system.send(goal=f'{GOAL} 5'))
    assert answer.result.status == 'succeeded'


def test_it_can_be_shut_down(manager: Manager) -> None:
    assert manager.change('active_shutdown')
    assert manager.state == 'finalized'
    manager.serves(False)


def test_a_second_model_decides_when_the_first_does_not(
    start_system: Callable[..., Any], tmp_path: Path
) -> None:
    second = tmp_path / 'second.yaml'
    second.write_text(yaml.safe_dump({GOAL: LINES}))
    planner = {'diagnostics_period_sec': 0.1, 'standby_model.name': f'scripted:{second}'}
    with start_system({GOAL: []}, planner, {'room': 'kitchen 1'}) as system:
        manager = Manager(system)
        system.ready()
        assert system.result(system.send(goal=GOAL)).result.status == 'succeeded'
        manager.diagnosed(DiagnosticStatus.WARN, 'the standby model answers')


def test_servers_of_the_robot_that_are_not_there_are_named(
    start_system: Callable[..., Any], serve: Callable[..., Any]
) -> None:
    planner = {'diagnostics_period_sec': 0.1}
    with start_system({}, planner, sim='none', namespace='alone') as system:
        manager = Manager(system)
        system.ready(bridge=False)
        told = 'action /alone/household/execute_skill, service /alone/household/observe'
        system.logs(f'missing: {told}; skills that need them fail until')
        manager.diagnosed(DiagnosticStatus.WARN, told, missing_servers=told)
        serve('/alone/household/execute_skill', 'succeed')
        left = 'service /alone/household/observe'
        manager.diagnosed(DiagnosticStatus.WARN, left, missing_servers=left)
        system.spinner.node.create_service(
            Observe, 'household/observe', lambda _, response: response
        )
        system.logs('all action servers and services of the skill library are available')
        manager.diagnosed(DiagnosticStatus.OK, 'ready', missing_servers='none')
