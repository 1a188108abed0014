# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the planner node: the planner's options, and the node's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reactree_ros.core.option import DAY, group, option, parameters_of, values_of
from reactree_ros.core.settings import USER, OperatorOptions
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.kind import kind_of
from reactree_ros.paths import data
from reactree_ros.planner.options import PlannerOptions
from reactree_ros.ros.goals.operator_client import ASSISTANT_SERVICE, OPERATOR_SERVICE
from reactree_ros.ros.skills.run import HOUR, Timeouts

REJECT, QUEUE, PREEMPT = 'reject', 'queue', 'preempt'
REPORT, RESUME = 'report', 'resume'
STOP, ATTACH = 'stop', 'attach'
_NAME = re.compile(r'[A-Za-z]\w*(/[A-Za-z]\w*)*')


@dataclass(frozen=True)
class NodeOperatorOptions(OperatorOptions):
    """Questions to the operator, and approval of skills."""

    service: str = option(
        OPERATOR_SERVICE,
        'Service by which a person answers questions, and allows skills.',
    )
    assistant_service: str = option(
        ASSISTANT_SERVICE,
        'Service by which an assistant, such as "reactree mcp", answers questions of the model. '
        'What a person has to allow or decide is not put to it.',
    )
    answer_timeout_sec: float = option(
        60.0,
        'Time limit for an answer of the operator.',
        unit='s',
        minimum=0.1,
        maximum=DAY,
    )


@dataclass(frozen=True)
class GoalOptions:
    """Which goals the planner accepts, and how they follow each other."""

    policy: str = option(
        REJECT,
        'What happens to a goal that arrives while another runs: it is rejected, queued, or '
        'preempts the other.',
        choices=(REJECT, QUEUE, PREEMPT),
        live=True,
    )
    max_queued: int = option(
        10,
        'Most queued goals. Further goals are rejected.',
        unit='goals',
        minimum=1,
        maximum=1000,
        live=True,
    )
    max_chars: int = option(
        2000,
        'Longest goal that is accepted.',
        unit='characters',
        minimum=1,
        maximum=1_000_000,
        live=True,
    )
    reset_model_cache: bool = option(
        False,
        "Clear the model's prompt cache before each goal, so that its answers do not depend on "
        'earlier goals.',
        live=True,
    )
    reset_world: bool = option(
        False,
        'Start each goal from the world that the skill library declares, for a simulation that '
        'restarts. Without effect if the robot has perception.',
        live=True,
    )


@dataclass(frozen=True)
class RobotOptions(Timeouts):
    """The robot's services and time-outs."""

    observe_service: str = option(
        'observe',
        'Service that returns what the robot perceives. A simulated world sets its own.',
    )
    check_service: str = option(
        'check_goal',
        'Service that checks whether a goal is reached, called before anything is learned. A '
        'simulated world sets its own. Empty: none.',
    )


@dataclass(frozen=True)
class RecordingOptions:
    """Recordings of runs."""

    runs_dir: str = option(
        USER,
        'Folder for the recordings of all runs (one MCAP file each), or "user" for runs in the '
        "user's data folder. Empty: none.",
    )
    max_runs: int = option(
        200,
        'Most recordings to keep. The oldest are deleted first.',
        unit='files',
        minimum=1,
        maximum=1_000_000,
    )


@dataclass(frozen=True)
class RestartOptions:
    """What happens after the planner was killed."""

    journal: str = option(
        USER,
        'Crash journal: lets a restarted planner find the goals and skills that were active when '
        'it was killed. A file, or "user" for one in the user\'s data folder. Empty: none.',
    )
    goals: str = option(
        REPORT,
        'What to do with goals that were active: report them, or resume them.',
        choices=(REPORT, RESUME),
    )
    skills: str = option(
        STOP,
        'What to do with skills that still run: stop them, or attach to them (let them finish; a '
        'resumed goal waits for them).',
        choices=(STOP, ATTACH),
    )
    recorded_inputs: str = option(
        '',
        'File of recorded inputs, one JSON object a line, with which the first goal begins; '
        '"reactree teach" writes it to go on from a recorded run. Empty: none.',
    )


@dataclass(frozen=True)
class MetricsOptions:
    """Metrics of the language model for Prometheus."""

    port: int = option(
        0,
        'Port on which metrics of the language model are served to Prometheus. 0: none.',
        minimum=0,
        maximum=65_535,
    )
    address: str = option(
        '127.0.0.1',
        'Address on which they are served. Whoever can reach it can read them.',
    )


@dataclass(frozen=True)
class PlannerConfig(PlannerOptions):
    """All parameters of the planner node."""

    robots: tuple[str, ...] = option(
        ('',),
        'Namespaces of the robots. The children of a parallel control flow run at the same time, '
        'one on each robot; the first robot does all else. [""]: one robot, in the planner\'s own '
        'namespace.',
        kept_on_resume=True,
    )
    skills_of_robots: tuple[str, ...] = option(
        ('',),
        'Skill library of each robot, given like skills and in the order of robots, if they can do '
        'different things. [""]: all have that of skills.',
        kept_on_resume=True,
    )
    tick_hz: float = option(
        20.0,
        'Tick rate of the tree.',
        unit='Hz',
        minimum=1.0,
        maximum=200.0,
    )
    autostart: bool = option(
        True,
        'Configure and activate the node at start. If false, do so from outside, for instance with '
        '"ros2 lifecycle set".',
    )
    diagnostics_period_sec: float = option(
        1.0,
        'Period of the messages on /diagnostics.',
        unit='s',
        minimum=0.1,
        maximum=HOUR,
    )
    operator: NodeOperatorOptions = group(NodeOperatorOptions)
    goals: GoalOptions = group(GoalOptions)
    robot: RobotOptions = group(RobotOptions)
    recording: RecordingOptions = group(RecordingOptions)
    restart: RestartOptions = group(RestartOptions)
    metrics: MetricsOptions = group(MetricsOptions)

    @staticmethod
    def completed(given: Mapping[str, object]) -> dict[str, object]:
        """Return given values, and for others those that suit; a person may take time to decide."""
        values = PlannerOptions.completed(given)
        try:
            waits = kind_of(str(given.get('model.name', ''))).ask is not None
        except ConfigurationError:  # reported when the model is started
            waits = False
        return {'operator.answer_timeout_sec': DAY, **values} if waits else values


def robot_names(given: Sequence[str]) -> tuple[str, ...]:
    """Return the namespaces that the parameter ``robots`` names, without slashes around them.

    Raises:
        ConfigurationError: if one is not a valid namespace, or is there twice.
    """
    names = tuple(one.strip('/') for one in given)
    if names == ('',):
        return names
    wrong = [name for name in names if not _NAME.fullmatch(name) or names.count(name) > 1]
    if wrong:
        raise ConfigurationError(
            f'parameter robots is {list(given)!r}: {wrong[0]!r} is not a valid namespace, or is '
            'there twice; give a list such as ["robot1", "robot2"]'
        )
    return names


def robot_libraries(robots: Sequence[str], skills: str, given: Sequence[str]) -> dict[str, str]:
    """Return the skill library that the parameters give to each robot, by its namespace.

    Args:
        robots: the parameter ``robots``.
        skills: the parameter ``skills``.
        given: the parameter ``skills_of_robots``.

    Raises:
        ConfigurationError: if a namespace is wrong, or there are not as many libraries as robots.
    """
    names = robot_names(robots)
    chosen = [one or skills for one in given]
    if len(chosen) == 1:
        return dict.fromkeys(names, chosen[0])
    if len(chosen) != len(names):
        raise ConfigurationError(
            f'parameter skills_of_robots has {len(chosen)} libraries for {len(names)} robots '
            f'({", ".join(names)}): give one for each, in the order of the parameter robots'
        )
    return dict(zip(names, chosen, strict=True))


def resume_parameters() -> list[str]:
    """Return the names of the parameters that a run is resumed with only if they are the same."""
    return [row.name for row in parameters_of(PlannerConfig) if row.kept_on_resume]


def resume_values(config: PlannerConfig) -> dict[str, Any]:
    """Return the values of ``resume_parameters`` as JSON has them, by name."""
    values = values_of(config)
    plain = {name: values[name] for name in resume_parameters()}
    return {name: list(one) if isinstance(one, tuple) else one for name, one in plain.items()}


def changed_values(before: Mapping[str, Any], now: Mapping[str, Any], name: str) -> list[str]:
    """Return the parameters whose values a run of a strategy was not planned with.

    Args:
        before: values when it was planned, by name.
        now: those of ``resume_values``.
        name: name of the strategy; options of others do not matter.
    """
    own = f'strategies.{name}.'
    return [
        key
        for key, value in now.items()
        if before.get(key) != value and (not key.startswith('strategies.') or key.startswith(own))
    ]


def runs_folder(given: str) -> Path | None:
    """Return the folder that the parameter ``recording.runs_dir`` names; None for none."""
    if not given:
        return None
    return data('runs') if given == USER else Path(given)
