# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the example runs of domains: ``python -m reactree_ros.lab.pddl.examples FOLDER …``.

Each folder has ``domain.pddl``, a problem ``practice.pddl`` and perhaps ``words.yaml``. A planning
engine solves the problem, and the run is written to ``examples.txt``, as a person would have
decided who knew the way. unified-planning takes any engine that is installed, such as that of
``pip install up-pyperplan``; none comes with this package.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from reactree_ros.core.decision import ACT_LINE, DONE
from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.prompt import GOAL_LINE
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.pddl.library import pddl_library
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.world import PddlWorld

REMARK = '# Made by "python -m reactree_ros.lab.pddl.examples" from practice.pddl.'


def example_run(problem: PddlProblem, plan: Sequence[tuple[str, ...]]) -> str:
    """Return the experience of a run that solves a problem.

    Args:
        problem: the problem.
        plan: actions, each with the PDDL names of its objects.

    Raises:
        ConfigurationError: if the plan cannot be carried out, or does not reach the goal.
    """
    world = PddlWorld(problem)
    skills = {skill.name: skill for skill in pddl_library(problem).skills}
    lines = [f'{GOAL_LINE}{problem.instruction}', world.observe().text]
    for action, *objects in plan:
        names = [problem.name_of(one) for one in objects]
        result = world.execute(action, names)
        if result.status is not SkillStatus.SUCCEEDED:
            raise ConfigurationError(f'the plan of {problem.domain}: {result.observation.text}')
        lines += [f'{ACT_LINE}{skills[action].ground(*names).phrase}', result.observation.text]
    if not world.check().holds:
        raise ConfigurationError(f'the plan of {problem.domain} does not reach its goal')
    return '\n'.join([*lines, f'{ACT_LINE}{DONE}'])


def main() -> None:
    """Write the example runs of the folders that are given."""
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit('usage: python -m reactree_ros.lab.pddl.examples FOLDER …')
    for name in sys.argv[1:]:
        folder = Path(name)
        words = folder / 'words.yaml'
        try:
            problem = PddlProblem.read(
                folder / 'domain.pddl', folder / 'practice.pddl', words if words.exists() else None
            )
            text = example_run(problem, problem.solved())
        except ConfigurationError as error:
            sys.exit(f'{folder}: {error}')
        (folder / 'examples.txt').write_text(f'{REMARK}\n{text}\n', encoding='utf-8')


if __name__ == '__main__':
    main()
