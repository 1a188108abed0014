# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree mcp``: lets an assistant that speaks MCP use a running planner."""

from __future__ import annotations

import argparse

from reactree_ros.cli.argument_types import namespace, number
from reactree_ros.errors import ConfigurationError

DEFAULT_PORT = 8766
_SDK = ('anyio', 'mcp', 'mcp_types', 'pydantic', 'uvicorn')
"""What comes with the SDK."""
_DESCRIPTION = """\
Serves a running planner over the Model Context Protocol, so that an assistant
can send goals, watch the tree, answer questions of the model, pause and stop.
Skills that need approval are allowed by a person: "reactree send --answer", or
the web page. An assistant's configuration starts this command itself; it then
talks over standard input and output."""
_EXAMPLES = """\
examples:
  reactree mcp                          for the configuration of an assistant
  reactree mcp --read-only              it may look, and change nothing
  reactree mcp --http                   at http://127.0.0.1:8766/mcp

Exit code: 0 the assistant has left, or Ctrl-C with --http; 2 it could not start; 130 Ctrl-C.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'mcp',
        help='let an assistant use a running planner (MCP)',
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--http', action='store_true',
                        help='serve over HTTP, to programs on this machine only '
                        '(default: standard input and output)')  # fmt: skip
    parser.add_argument('--port', type=number(int, 65535), metavar='N',
                        help=f'port for --http (default: {DEFAULT_PORT}; 0: any free one)'
                        )  # fmt: skip
    parser.add_argument('--read-only', action='store_true',
                        help='leave out all tools that change anything')  # fmt: skip
    parser.add_argument('--namespace', default='', type=namespace, metavar='NAME',
                        help='namespace of the planner, such as robot1')  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until the assistant leaves, or until Ctrl-C, and return the exit code."""
    if options.port is not None and not options.http:
        raise ConfigurationError('--port goes with --http')
    try:
        from reactree_ros.cli.mcp import server
    except ModuleNotFoundError as error:
        if (error.name or '').partition('.')[0] not in _SDK:
            raise
        raise ConfigurationError(
            "reactree mcp needs the MCP SDK: pip install 'reactree_ros[mcp]', "
            "or pip install 'mcp>=2.3,<3'"
        ) from error
    from reactree_ros.cli.mcp.planner import RemotePlanner

    with RemotePlanner(options.namespace) as planner:
        served = server.make_server(planner, read_only=options.read_only)
        if options.http:
            return server.serve_http(served, DEFAULT_PORT if options.port is None else options.port)
        served.run('stdio')
    return 0
