# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run that is recorded by the code itself: a scripted model in a shipped apartment."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from builtin_interfaces.msg import Time
from std_msgs.msg import String
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.msg import Tree
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.option import values_of
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import assemble
from reactree_ros.planner.options import PlannerOptions, planner_options
from reactree_ros.planner.recorded_inputs import with_recording
from reactree_ros.planner.run import GoalRun
from reactree_ros.ros.conversions import (
    behaviour_to_msg,
    decision_record_to_msg,
    event_to_msg,
    observation_to_msg,
)
from reactree_ros.ros.qos import EVENTS, LATEST
from reactree_ros.ros.recording.run_publisher import (
    AUDIT_TOPIC,
    EVENT_TOPIC,
    INPUT_TOPIC,
    MEMORY_TOPIC,
    TREE_TOPIC,
)
from reactree_ros.ros.recording.run_recorder import RunRecorder
from reactree_ros.sim.household import World
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.skills.simulated import WorldExecutor

_SCRIPT = {
    'look, and sleep': ['Think: two steps', 'Expand: fallback ["give up", "look around"]'],
    'give up': ['Act: failure'],
    'look around': ['Act: go to bathroom 1', 'Act: done'],
}
_GOAL_ID = UUID(uuid=range(16))
_LIBRARY = """
name: small
action: household/execute_skill
skills:
  go_to: {phrase: "go to {place}", arguments: {place: {kind: room, here: false}}}
"""


class _Log:
    """Keeps nothing: a fault of the recorder shows in the file."""

    def info(self, message: str) -> None:
        pass

    warning = info


def made_run(folder: Path) -> bytes:
    """Carry out a goal, record it in a folder and return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / 'small.yaml'
    library.write_text(_LIBRARY, encoding='utf-8')
    values: dict[str, Any] = values_of(PlannerOptions())
    values |= {
        'skills': str(library),
        'robots': [''],
    }
    recorder = RunRecorder(folder, 9, _Log())
    about = {'strategy': 'reactree', 'limits': asdict(Limits()), 'parameters': values}
    goal = next(iter(_SCRIPT))
    recorder.begin(
        bytes(_GOAL_ID.uuid), goal, {**about, 'skills': library.name, 'remembers': False}
    )
    recorder.end(_carried_out(recorder, goal, values))
    recorder.close()
    (path,) = folder.glob('*.mcap')
    return path.read_bytes()


def _carried_out(recorder: RunRecorder, goal: str, values: dict[str, Any]) -> dict[str, Any]:
    options = planner_options({key: value for key, value in values.items() if key != 'robots'})
    world = WorldExecutor(World(shipped_scene('apartment_1'), 'kitchen 1'))
    bare = replace(options, memory=replace(options.memory, example_tokens=0))
    services = assemble(bare, ScriptedModel(_SCRIPT), world, name='reactree')
    services = replace(services, settings=options.resolved)
    events: list[Event] = []
    recording = with_recording(
        services,
        lambda one: recorder.write(f'/{INPUT_TOPIC}', String(data=json.dumps(one)), EVENTS),
    )

    def account(record: DecisionRecord) -> None:
        recorder.write(f'/{AUDIT_TOPIC}', decision_record_to_msg(record, _GOAL_ID, Time()), EVENTS)

    run = GoalRun(goal, recording, Limits(), events.append, 'fuzz', lambda: 0.0, audit=account)
    for _ in range(100):
        if run.finished:
            break
        before = len(events)
        run.tick()
        for number, event in enumerate(events[before:], start=before + 1):
            event_message = event_to_msg(event, _GOAL_ID, number, Time())
            recorder.write(f'/{EVENT_TOPIC}', event_message, EVENTS)
        tree = [behaviour_to_msg(one) for one in run.snapshot()]
        message = Tree(goal_id=_GOAL_ID, goal=goal, behaviours=tree)
        recorder.write(f'/{TREE_TOPIC}', message, LATEST)
    known = observation_to_msg(run.situation().as_observation())
    recorder.write(f'/{MEMORY_TOPIC}', known, LATEST)
    report = run.report()
    ended = {
        'status': 'succeeded',
        'reason': '',
        'message': 'It is done.',
        'tree': report.tree,
        'costs': vars(report.costs),
        'nodes': [
            {
                'path': node.path,
                'reason': node.reason and node.reason.value,
                'costs': vars(node.costs),
            }
            for node in report.nodes
        ],
    }
    run.close()
    return ended
