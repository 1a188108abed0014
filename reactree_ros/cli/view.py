# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree view``: runs on a web page, live or recorded."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from reactree_ros.cli.argument_types import namespace, number, ros_name
from reactree_ros.cli.interrupts import Interrupts
from reactree_ros.cli.processes import VIEWER
from reactree_ros.ros.nodes.viewer_config import DEFAULT_PORT

_LOOK_SEC = 0.1


_EXAMPLES = """\
examples:
  reactree view                       the running planner
  reactree view RUN.mcap              a recorded run
  reactree view --namespace robot1 --camera camera/image/compressed

Exit code: 0 after Ctrl-C; 2 it could not start.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'view',
        help='watch runs on a web page',
        description='Serves a page with the world as the robot knows it, the tree as it grows, and '
        'why each node decided so, on one time line. From the page goals are sent, canceled, '
        'paused and stepped, questions answered and conditions corrected. '
        'With FILE it shows a recorded run and needs neither planner nor robot.',
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        'run_file', type=Path, nargs='?', metavar='FILE', help='a recorded run (default: live)'
    )
    parser.add_argument(
        '--host',
        default='localhost',
        help='address to serve at (default: localhost); any other lets other machines in, who '
        'need the token in the printed address',
    )
    parser.add_argument(
        '--port',
        type=number(int, 65535),
        default=DEFAULT_PORT,
        metavar='N',
        help='port (default: %(default)s; 0: any free one)',
    )
    parser.add_argument(
        '--namespace',
        default='',
        type=namespace,
        metavar='NAME',
        help='namespace of the planner, such as robot1',
    )
    parser.add_argument(
        '--camera',
        type=ros_name,
        default='',
        metavar='TOPIC',
        help="show the robot's camera, too: a topic of sensor_msgs/CompressedImage",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C and return the exit code."""
    from reactree_ros.ros.nodes.node_main import run_node
    from reactree_ros.ros.viewer.node import RunViewer

    if options.run_file is not None:
        return _show_file(options.run_file, options.host, options.port)
    line = VIEWER.arguments({'namespace': options.namespace})
    line += ['-p', f'host:="{options.host}"', '-p', f'port:={options.port}']
    line += ['-p', f'camera:="{options.camera}"']
    return run_node(VIEWER.name, RunViewer, argv=['reactree view', *line])


def _show_file(path: Path, host: str, port: int) -> int:
    from reactree_ros.ros.viewer.recorded import read_history
    from reactree_ros.viewer.controls import ViewerControls
    from reactree_ros.viewer.run_index import RunIndex
    from reactree_ros.viewer.server import ViewerServer

    index = RunIndex()
    history = read_history(path)
    index.offer(path.stem, lambda: history)
    server = ViewerServer(index, ViewerControls(), host, port)
    with Interrupts() as interrupts:
        server.start()
        print(f'{path.name} is at {server.address} (Ctrl-C ends)', flush=True)
        while not interrupts:
            time.sleep(_LOOK_SEC)
        server.close()
    return 0
