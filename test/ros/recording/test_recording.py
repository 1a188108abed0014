# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every run is written as it happens, and can be shown again."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcap.exceptions import McapError
from mcap.reader import make_reader
from rclpy.serialization import deserialize_message

from reactree_interfaces.msg import Behaviour, Event, Observation, Tree
from reactree_ros.cli import main
from reactree_ros.cli.replay import DIFFERENT
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.ros.conversions import behaviour_from_msg, event_from_msg, observation_from_msg
from reactree_ros.ros.qos import EVENTS
from reactree_ros.ros.recording import recorded_run
from reactree_ros.ros.recording.run_file import RunFile
from reactree_ros.ros.recording.run_publisher import EVENT_TOPIC, MEMORY_TOPIC, TREE_TOPIC
from reactree_ros.ros.recording.run_recorder import RunRecorder, definition_of
from reactree_ros.ros.viewer.recorded import read_history

pytestmark = pytest.mark.ros

ROOT = Path(__file__).parents[3]
RECOVER = 'mcap recover killed.mcap -o whole.mcap'

SCRIPT = {
    'look, and sleep': ['Think: two steps', 'Expand: fallback ["give up", "look around"]'],
    'give up': ['Act: failure'],
    'look around': ['Act: go to bathroom 1', 'Act: done'],
}
PLANNER = {}


class Told:
    """Keeps what is logged."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def warning(self, message: str) -> None:
        self.lines.append(message)

    info = warning


@pytest.fixture(scope='module')
def recorded(
    start_system: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Any, Any]]:
    runs = tmp_path_factory.mktemp('runs')
    with start_system(SCRIPT, PLANNER, {'room': 'kitchen 1'}, runs=str(runs)) as system:
        system.ready()
        handle = system.send(goal='look, and sleep')
        result = system.result(handle).result
        system.logs('recorded in')
        (path,) = runs.glob('*.mcap')
        yield path, handle, result


def test_a_run_becomes_a_page_and_pages_a_gallery(
    recorded: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, *_ = recorded
    page = tmp_path / 'run.html'
    options = ['replay', str(path), '--export', str(page), '--beside', str(path)]
    assert main.run(options) == main.run(['replay', '--gallery', str(tmp_path)]) == 0
    assert 'look, and sleep' in (tmp_path / 'index.html').read_text(encoding='utf-8')
    history = read_history(path)
    asked = [frame for frame in history.frames if frame['kind'] == 'decision']
    assert [frame['index'] for frame in asked] == list(range(1, len(asked) + 1))
    assert all(frame['prompt'] and frame['offer'] for frame in asked)
    nowhere = tmp_path / 'none' / 'run.html'
    assert main.run(['replay', str(path), '--export', str(nowhere)]) == 2
    assert 'cannot write' in capsys.readouterr().err


def test_a_file_says_what_was_asked_and_how_it_ended(recorded: Any) -> None:
    path, handle, result = recorded
    file = RunFile(path)
    assert file.began['goal'] == 'look, and sleep'
    assert bytes.fromhex(file.began['goal_id']) == bytes(handle.goal_id.uuid)
    assert file.began['strategy'] == 'reactree'
    assert file.began['limits']['max_decisions'] == 200
    assert (file.ended['status'], result.status) == ('succeeded', 'succeeded')
    assert file.ended['costs']['decisions'] == result.costs.decisions == 5
    assert len(file.ended['nodes']) == 3
    assert 'look-and-sleep' in path.name


def test_a_file_holds_events_trees_and_working_memory(recorded: Any) -> None:
    file = RunFile(recorded[0])
    topics = {one.topic for one in file.messages}
    assert topics == {
        'reactree/audit',
        'reactree/events',
        'reactree/tree',
        'reactree/working_memory',
        'reactree/inputs',
    }
    events = [one.message for one in file.messages if one.topic == 'reactree/events']
    assert [one.index for one in events] == [*range(1, len(events) + 1)]
    assert {'goal', 'think', 'expand', 'failure', 'act', 'observation', 'ended'} <= {
        event_from_msg(one).kind for one in events
    }
    trees = [one.message for one in file.messages if one.topic == 'reactree/tree']
    assert trees[-1].behaviours[0].status == Behaviour.STATUS_SUCCEEDED
    times = [one.nanoseconds for one in file.messages]
    assert times == sorted(times)


def test_others_can_read_it(recorded: Any) -> None:
    with recorded[0].open('rb') as stream:
        reader = make_reader(stream)
        summary = reader.get_summary()
        assert reader.get_header().profile == 'ros2'
        assert summary is not None and summary.statistics is not None
        assert summary.statistics.message_count == len(RunFile(recorded[0]).messages)
        schemas = {one.name: one for one in summary.schemas.values()}
        assert {one.encoding for one in schemas.values()} == {'ros2msg'}
        for schema, channel, message in reader.iter_messages():
            assert schema is not None
            assert channel.message_encoding == 'cdr'
            assert message.data


@pytest.mark.parametrize(
    ('topic', 'kind', 'plain'),
    [
        (EVENT_TOPIC, Event, event_from_msg),
        (TREE_TOPIC, Tree, lambda tree: [*map(behaviour_from_msg, tree.behaviours)]),
        (MEMORY_TOPIC, Observation, observation_from_msg),
    ],
)
def test_rclpy_reads_the_same(
    recorded: Any, topic: str, kind: Any, plain: Callable[[Any], Any]
) -> None:
    with recorded[0].open('rb') as stream:
        messages = make_reader(stream).iter_messages(topics=[f'/{topic}'])
        found = [plain(deserialize_message(message.data, kind)) for _, _, message in messages]
    assert found
    ours = [one.message for one in RunFile(recorded[0]).messages if one.topic == topic]
    assert list(map(plain, ours)) == found


def test_topics_have_the_names_and_the_qos_that_ros2_bag_writes(recorded: Any) -> None:
    with recorded[0].open('rb') as stream:
        summary = make_reader(stream).get_summary()
        assert summary is not None
        channels = {one.topic: one for one in summary.channels.values()}
    assert {*channels} == {
        '/reactree/audit',
        '/reactree/events',
        '/reactree/inputs',
        '/reactree/tree',
        '/reactree/working_memory',
    }
    offered = {
        topic: yaml.safe_load(one.metadata['offered_qos_profiles'])
        for topic, one in channels.items()
    }
    assert [one['depth'] for one in offered['/reactree/events']] == [1000]
    (tree,) = offered['/reactree/tree']
    default = {'sec': 0, 'nsec': 0}
    assert tree == {
        'history': 'keep_last',
        'depth': 1,
        'reliability': 'reliable',
        'durability': 'transient_local',
        'deadline': default,
        'lifespan': default,
        'liveliness': 'system_default',
        'liveliness_lease_duration': default,
        'avoid_ros_namespace_conventions': False,
    }


def test_a_file_that_was_cut_off_needs_what_the_page_says(recorded: Any) -> None:
    whole = recorded[0].read_bytes()
    with pytest.raises(McapError):
        [*make_reader(io.BytesIO(whole[: len(whole) // 2])).iter_messages()]
    assert f'\n{RECOVER}\n' in (ROOT / 'docs' / 'ros.md').read_text(encoding='utf-8')


@pytest.mark.skipif(shutil.which('mcap') is None, reason='the program mcap is not in the path')
def test_what_mcap_recovers_of_a_cut_file_is_read_by_others(recorded: Any, tmp_path: Path) -> None:
    whole = recorded[0].read_bytes()
    (tmp_path / 'killed.mcap').write_bytes(whole[: len(whole) // 2])
    subprocess.run(RECOVER.split(), cwd=tmp_path, check=True, capture_output=True)
    with (tmp_path / 'whole.mcap').open('rb') as stream:
        count = sum(1 for _ in make_reader(stream).iter_messages())
    assert count == len(RunFile(tmp_path / 'killed.mcap').messages) > 0


def test_a_definition_has_all_that_it_needs() -> None:
    text = definition_of('reactree_interfaces/msg/Event')
    for name in ('builtin_interfaces/Time', 'reactree_interfaces/Costs'):
        assert text.count(f'MSG: {name}\n') == 1
    assert text.index('MSG: ') > text.index('uint8 kind')


def test_a_run_is_shown_again(recorded: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path, _, result = recorded
    assert main.run(['replay', str(path)]) == 0
    shown = capsys.readouterr().out
    for line in result.tree.strip().splitlines():
        assert line.split(' -- ')[0].rstrip() in shown
    assert 'think: two steps' in shown
    assert 'act: go to bathroom 1' in shown
    assert shown.rstrip().endswith(f'succeeded: {result.message}')


def test_a_run_is_planned_again_decision_for_decision(
    recorded: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded[0]
    events = sum(one.topic == 'reactree/events' for one in RunFile(path).messages)
    assert main.run(['replay', '--recompute', str(path)]) == 0
    told = capsys.readouterr().out
    assert told == f'the same: {events} of {events} events, and the same final tree\n'


def test_other_skills_are_the_first_difference(
    recorded: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = (share('behaviors') / 'household.yaml').read_text()
    library = library.replace('../resource', str(share('resource')))
    changed = library.replace('go to {place}', 'drive to {place}')
    assert changed != library
    (tmp_path / 'other.yaml').write_text(changed)
    options = ['replay', '--recompute', '--skills', str(tmp_path / 'other.yaml')]
    assert main.run([*options, str(recorded[0])]) == 1
    told = capsys.readouterr().out
    assert told.startswith('not the same after 1 events; event 2: recorded "look, and sleep: think')
    assert 'of the prompt: recorded' in told
    assert 'drive to' in told


def test_a_run_that_was_cut_off_is_shown_as_far_as_it_came(
    recorded: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = recorded[0].read_bytes()
    file = tmp_path / 'cut.mcap'
    counts = []
    for part in (0.3, 0.5, 0.7):
        file.write_bytes(whole[: int(len(whole) * part)])
        counts.append(len(RunFile(file).messages))
    assert 0 < counts[0] < counts[1] < counts[2]
    assert main.run(['replay', str(file)]) == 0
    assert 'the run was cut off' in capsys.readouterr().out


@pytest.mark.parametrize('content', [b'', b'no MCAP at all', b'\x89MCAP0\r\n'])
def test_what_is_no_run_is_refused(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / 'other.mcap'
    file.write_bytes(content)
    assert main.run(['replay', str(file)]) == 2
    assert 'is not a recorded run' in capsys.readouterr().err
    with pytest.raises(ConfigurationError, match='cannot read the run'):
        RunFile(tmp_path / 'nothing.mcap')


def test_a_killed_planner_leaves_what_it_had_written(
    start_system: Callable[..., Any], tmp_path: Path
) -> None:
    script = {'wait': ['Think: a while', 'Act: go to bathroom 1', 'Act: done']}
    bridge = {'room': 'kitchen 1', 'skill_duration_sec': 30.0}
    with start_system(script, PLANNER, bridge, runs=str(tmp_path), namespace='lost') as system:
        system.ready()
        system.send(goal='wait')
        system.happens('act', 'go to bathroom 1')
        (planner,) = [one for one in system.group._running if 'planner' in one.spec.name]
        os.kill(planner.process.pid, signal.SIGKILL)
        planner.process.wait()
        (path,) = tmp_path.glob('*.mcap')
        file = RunFile(path)
        assert b'/lost/reactree/events' in path.read_bytes()
        assert file.began['goal'] == 'wait'
        assert file.ended == {}
        kinds = [one.message.kind for one in file.messages if one.topic == 'reactree/events']
        assert kinds[:2] == [Event.KIND_GOAL, Event.KIND_THINK]


def test_only_so_many_files_are_kept(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f'2020010{number}-000000-old-0000000{number}.mcap').write_bytes(b'')
        (tmp_path / f'rosbag2_{number}.mcap').write_bytes(b'')
    told = Told()
    recorder = RunRecorder(tmp_path, 3, told)
    recorder.begin(bytes(16), 'Tidy up!', {})
    recorder.write('/reactree/events', Event(kind=Event.KIND_GOAL), EVENTS)
    recorder.end({'status': 'failed'})
    recorder.close()
    bags = {f'rosbag2_{number}.mcap' for number in range(4)}
    names = sorted({path.name for path in tmp_path.iterdir()} - bags)
    assert bags <= {path.name for path in tmp_path.iterdir()}, 'others are not deleted'
    assert names[:2] == [f'2020010{one}-000000-old-0000000{one}.mcap' for one in (2, 3)]
    assert len(names) == 3
    assert '-tidy-up-00000000.mcap' in names[2]
    assert told.lines == [f'recorded in {tmp_path / names[2]}']


def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    (tmp_path / 'file').write_bytes(b'')
    told = Told()
    recorder = RunRecorder(tmp_path / 'file', 3, told)
    recorder.begin(bytes(16), 'x', {})
    for _ in range(5):
        recorder.write('/reactree/events', Event(), EVENTS)
    recorder.end({})
    recorder.close()
    assert len(told.lines) == 1
    assert told.lines[0].startswith('the run is not recorded any more: ')


def test_a_message_that_cannot_be_written_ends_one_recording_only(tmp_path: Path) -> None:
    told = Told()
    recorder = RunRecorder(tmp_path, 3, told)
    for goal, text in (('bad', 'half a pair: \ud83d'), ('good', 'all')):
        recorder.begin(bytes(16), goal, {})
        recorder.write('/reactree/events', Event(text=text), EVENTS)
        recorder.end({})
    recorder.close()
    assert told.lines[0].startswith('the run is not recorded any more: ')
    assert 'recorded in' in told.lines[1] and '-good-' in told.lines[1]


def test_every_decision_has_a_record(
    recorded: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, handle, _ = recorded
    records = [one.message for one in RunFile(path).messages if one.topic == 'reactree/audit']
    assert sorted(one.index for one in records) == [1, 2, 3, 4, 5]
    by_index = {one.index: one for one in records}
    assert {bytes(one.goal_id.uuid) for one in records} == {bytes(handle.goal_id.uuid)}
    assert [by_index[number].decision for number in range(1, 6)] == [
        'Think: two steps',
        'Expand: fallback ["give up", "look around"]',
        'Act: failure',
        'Act: go to bathroom 1',
        'Act: done',
    ]
    assert [by_index[number].behaviour for number in range(1, 6)] == [1, 1, 3, 4, 4]
    went = by_index[4]
    assert len(went.robot_goal_id) == 32
    assert (went.robot_action, went.accepted) == ('household/execute_skill', True)
    assert went.outcome.startswith('You enter the bathroom')
    assert by_index[2].outcome == 'fallback of 2 succeeded'
    assert by_index[3].outcome == 'the agent gave up'
    stamps = [by_index[number].stamp for number in range(1, 6)]
    assert stamps == sorted(stamps, key=lambda stamp: (stamp.sec, stamp.nanosec))
    assert main.run(['replay', str(path), '--audit']) == 0
    told = capsys.readouterr().out
    assert f'sent: household/execute_skill {went.robot_goal_id}' in told
    assert '5 decisions; the file has the prompt of each' in told
    found, prompts = recorded_run.read_audit(RunFile(path))
    left = prompts - {found[2].prompt_sha256}
    monkeypatch.setattr(recorded_run, 'read_audit', lambda file: (found, left))
    assert main.run(['replay', str(path), '--audit']) == DIFFERENT
    assert f'do not stand in the file: {found[2].index}' in capsys.readouterr().out
