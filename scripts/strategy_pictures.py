# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws one run of each strategy, and prints what its nodes read and decided.

``python strategy_pictures.py FOLDER [--model MODEL] [NAME[=SET:NUMBER] …]``; it needs the program
``dot`` of Graphviz. The pictures of docs/strategies.md are those of ``PICTURED``.
"""

from __future__ import annotations

import argparse
import textwrap
import time
from pathlib import Path
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour

from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.budget import Limits
from reactree_ros.lab.strategies.planned import PlanLeaf
from reactree_ros.models.start import start_model
from reactree_ros.planner.assembly import assemble
from reactree_ros.planner.options import planner_options
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.tasks import surroundings_of, task_of
from reactree_ros.strategies.registry import strategy_names

TASK = 'household:1'
PICTURED = {
    'react': 'wah_test:8',
    'adapt': 'goals_dev:1',
    'plan_and_execute': 'wah_test:15',
    'try_again': 'wah_test:8',
    'reflexion': 'wah_test:8',
    'hiagent': 'goals_dev:5',
    'step': 'goals_dev:4',
}
"""Tasks that show how a strategy's tree is built; ``TASK`` does for the others."""
LONGEST_NAME = 46
MOST_DECISIONS = 300
MOST_SKILLS = 4
"""More of them below a node are shown in short."""


def main() -> None:
    """Draw them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder', type=Path)
    parser.add_argument('strategies', nargs='*', metavar='NAME[=SET:NUMBER]')
    parser.add_argument('--model', default='')
    given = parser.parse_intermixed_args()
    own = {'model.name': given.model} if given.model else {}
    options = planner_options({'skills': 'household', 'memory.store': '', **own})
    model = start_model(options.model)
    try:
        while not model.poll_ready():
            time.sleep(0.1)
        for wanted in given.strategies or strategy_names():
            name, _, chosen = wanted.partition('=')
            task_set, _, number = (chosen or PICTURED.get(name, TASK)).partition(':')
            task = task_of(task_set, int(number))
            surroundings = surroundings_of(task)
            services = assemble(options, model, surroundings.executor, name=name)
            run = GoalRun(task.instruction, services, Limits(max_decisions=MOST_DECISIONS))
            while not run.finished:
                run.tick()
                time.sleep(0.002)
            report = run.report()
            print(f'{name}: {report.status} {report.message}; {surroundings.check()}', flush=True)
            for agent in run.agents():
                story = f'{agent.name}\n{agent.trajectory.text()}'
                print(textwrap.indent(story, '  ' * agent.depth), flush=True)
            for node in run.root.iterate():
                _shorten(node)
                node.name = node.name.replace(':', ' –')  # for dot, what follows is a port
                node.name = textwrap.shorten(node.name, LONGEST_NAME, placeholder=' …')
            graph: Any = py_trees.display.dot_tree(run.root)
            graph.set_bgcolor('white')
            graph.write_svg(str(given.folder / f'strategy_{name}.svg'))
            run.close()
    finally:
        model.close()


def _shorten(node: Behaviour) -> None:
    """Show the first and the last of many skills below a node, and how many are between them."""
    skills = [child for child in node.children if isinstance(child, SkillLeaf)]
    if len(skills) <= MOST_SKILLS:
        return
    first, *between, last = skills
    more = PlanLeaf(f'… {len(between)} more …')
    more.status = last.status
    shown = [child for child in node.children if child not in between]
    shown.insert(shown.index(last), more)
    node.children = shown


if __name__ == '__main__':
    main()
