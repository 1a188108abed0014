# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps the gallery's recorded runs, and makes static pages of them.

.venv/bin/python scripts/gallery.py pages FOLDER      # a page of each run, and an index
.venv/bin/python scripts/gallery.py record NAME       # carry out a run of runs.yaml again
.venv/bin/python scripts/gallery.py add NAME RUN REPORT   # take a run recorded otherwise

All runs are in one archive, without the index that other programs want of MCAP: what they have in
common is stored once.
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
import os
import shlex
import subprocess
import sys
import tarfile
import tempfile
import threading
from pathlib import Path
from typing import Any

import rclpy
import yaml
from mcap.reader import make_reader
from mcap.records import Schema
from mcap.writer import CompressionType, IndexType, Writer
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.msg import Event
from reactree_ros.ros.qos import EVENTS
from reactree_ros.ros.recording.run_publisher import EVENT_TOPIC
from reactree_ros.ros.viewer.recorded import read_history
from reactree_ros.viewer.document import page_with
from reactree_ros.viewer.gallery import INDEX, write_gallery

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / 'examples' / 'gallery'
ARCHIVE = FOLDER / 'runs.tar.xz'
LIST = FOLDER / 'runs.yaml'
WORLD = ('known', 'holds', 'satisfied', 'unsatisfied', 'changes')


def described() -> dict[str, dict[str, str]]:
    """Return ``title``, ``look`` and ``command`` of each run, by name."""
    runs: dict[str, dict[str, str]] = yaml.safe_load(LIST.read_text(encoding='utf-8'))
    return runs


def stored() -> dict[str, bytes]:
    """Return the files of the archive by name: of each run NAME.mcap and NAME.json."""
    if not ARCHIVE.exists():
        return {}
    found = {}
    with tarfile.open(ARCHIVE, 'r:xz') as archive:
        for entry in archive:
            file = archive.extractfile(entry)
            assert file is not None, entry.name
            found[entry.name] = file.read()
    return found


def pages(out: Path) -> int:
    """Write a page of each run and an index, and return how many there are."""
    files = stored()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, about) in enumerate(described().items(), 1):
            path = Path(folder) / f'{name}.mcap'
            path.write_bytes(files[path.name])
            run = read_history(path)
            world = json.loads(files[f'{name}.json'])
            shown = {'title': about['title'], 'look': about['look'], 'world': judged(world)}
            run.gallery = {**shown, 'holds': world['holds'] if world['known'] else None}
            page = out / f'{number:02d}_{name}.html'
            page.write_text(page_with([run]), encoding='utf-8')
    return write_gallery(out)


def judged(world: dict[str, Any]) -> str:
    """Say how the world judged the end of a run."""
    if not world['known']:
        changes = '; '.join(world['changes']) or 'nothing has changed'
        return f'The world has no condition to judge by; in it: {changes}.'
    lines = [f'\u2713 {one}' for one in world['satisfied']]
    lines += [f'\u2715 {one}' for one in world['unsatisfied']]
    return f'The world says {"yes" if world["holds"] else "no"}: {", ".join(lines)}.'


def add(name: str, run: Path, report: Path) -> None:
    """Put a run and what the world said of it into the archive.

    Args:
        name: of the run in the list.
        run: its file.
        report: of ``reactree demo --report``.
    """
    world = json.loads(report.read_text(encoding='utf-8'))['world']
    kept = {key: world[key] for key in WORLD}
    files = {f'{name}.mcap': bare(run.read_bytes()), f'{name}.json': json.dumps(kept).encode()}
    files = {**stored(), **files}
    names = [f'{one}{end}' for one in described() for end in ('.mcap', '.json')]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w', format=tarfile.USTAR_FORMAT) as archive:
        for one in filter(files.__contains__, names):
            entry = tarfile.TarInfo(one)
            entry.size = len(files[one])
            archive.addfile(entry, io.BytesIO(files[one]))
    ARCHIVE.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f'{ARCHIVE}: {ARCHIVE.stat().st_size / 1000:.0f} kB')


def bare(data: bytes) -> bytes:
    """Return the file of a run without index and chunks, which say again what is there."""
    out, reader = io.BytesIO(), make_reader(io.BytesIO(data))
    plain = {'use_chunking': False, 'use_statistics': False, 'use_summary_offsets': False}
    twice = {'repeat_channels': False, 'repeat_schemas': False}
    writer: Any = Writer(
        out, compression=CompressionType.NONE, index_types=IndexType.NONE, **plain, **twice
    )
    writer.start(profile='ros2', library='reactree_ros')
    for note in reader.iter_metadata():
        writer.add_metadata(note.name, note.metadata)
    numbers: dict[str, int] = {}
    for schema, channel, message in reader.iter_messages():
        if channel.topic not in numbers:
            assert isinstance(schema, Schema), channel.topic
            kind = writer.register_schema(schema.name, schema.encoding, schema.data)
            numbers[channel.topic] = writer.register_channel(
                channel.topic, channel.message_encoding, kind, channel.metadata
            )
        writer.add_message(
            numbers[channel.topic],
            message.log_time,
            message.data,
            message.publish_time,
            message.sequence,
        )
    writer.finish()
    return out.getvalue()


def record(name: str) -> None:
    """Carry out the command of a run, and put it into the archive."""
    about = described()[name]
    command = [sys.executable, '-m', 'reactree_ros.cli.main', *shlex.split(about['command'])[1:]]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / 'report.json'
        command += ['--runs', folder, '--report', str(report)]
        environment = {**os.environ, 'XDG_DATA_HOME': folder}
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        ) as demo:
            assert demo.stdout is not None
            meddling: list[threading.Thread] = []
            for line in demo.stdout:
                print(line, end='', flush=True)
                if 'meddle' in about and line.startswith('ROS_DOMAIN_ID='):
                    given = (int(line.partition('=')[2]), *about['meddle'])
                    meddling = [threading.Thread(target=meddle, args=given, daemon=True)]
                    meddling[0].start()
        (run,) = Path(folder).glob('*.mcap')
        add(name, run, report)


def meddle(domain: int, when: str, skill: str, *arguments: str) -> None:
    """Do one skill behind the planner's back, in the household, until the process ends.

    Args:
        domain: of the demo.
        when: how the observation begins that it waits for; once.
        skill: name of the skill.
        arguments: what it is applied to.
    """
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    node = Node('somebody', context=context)
    robot = ActionClient(node, ExecuteSkill, 'household/execute_skill')
    done: list[str] = []

    def look(event: Event) -> None:
        if event.text.startswith(when) and not done:
            done.append(event.text)
            print(f'meddling: {skill} {", ".join(arguments)}', flush=True)
            robot.send_goal_async(ExecuteSkill.Goal(skill=skill, arguments=list(arguments)))

    node.create_subscription(Event, EVENT_TOPIC, look, EVENTS)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    executor.spin()


def main() -> int:
    """Do what the command line asks for, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest='command', required=True)
    commands.add_parser('pages').add_argument('folder', type=Path)
    commands.add_parser('record').add_argument('name')
    adding = commands.add_parser('add')
    adding.add_argument('name')
    adding.add_argument('run', type=Path)
    adding.add_argument('report', type=Path)
    options = parser.parse_args()
    if options.command == 'pages':
        print(f'{options.folder / INDEX}: {pages(options.folder)} runs')
    elif options.command == 'record':
        record(options.name)
    else:
        add(options.name, options.run, options.report)
    return 0


if __name__ == '__main__':
    sys.exit(main())
