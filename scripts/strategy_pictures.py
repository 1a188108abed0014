# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws one run of each strategy for docs/strategies.md: ``python strategy_pictures.py FOLDER``.

It needs the program ``dot`` of Graphviz; the model is the default one, the task a shipped one.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import py_trees

from reactree_ros.behaviours.assembly import assemble
from reactree_ros.behaviours.options import planner_options
from reactree_ros.behaviours.run import GoalRun
from reactree_ros.behaviours.strategies import STRATEGIES
from reactree_ros.core.budget import Limits
from reactree_ros.evaluation.surroundings import surroundings_of
from reactree_ros.evaluation.tasks import task_of
from reactree_ros.models.start import start_model

TASK = ('household', 1)
LONGEST_NAME = 46


def main() -> None:
    """Draw them all."""
    folder = Path(sys.argv[1])
    options = planner_options({'memory': ''})
    task = task_of(*TASK)
    model = start_model(options.model_options, None)
    try:
        while not model.poll_ready():
            time.sleep(0.1)
        for name in sys.argv[2:] or STRATEGIES:
            surroundings = surroundings_of(task)
            services = assemble(options, model, surroundings.executor, name=name)
            run = GoalRun(task.instruction, services, Limits(max_decisions=80))
            while not run.finished:
                run.tick()
                time.sleep(0.002)
            report = run.report()
            print(f'{name}: {report.status} {report.message}; {surroundings.check()}', flush=True)
            for node in run.root.iterate():
                if len(node.name) > LONGEST_NAME:
                    node.name = f'{node.name[: LONGEST_NAME - 1]}…'
            graph: Any = py_trees.display.dot_tree(run.root)
            graph.set_bgcolor('white')
            graph.write_svg(str(folder / f'strategy_{name}.svg'))
            run.close()
    finally:
        model.close()


if __name__ == '__main__':
    main()
