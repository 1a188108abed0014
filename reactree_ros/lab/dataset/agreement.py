# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How often a model decides as the teacher does, in runs that the teacher makes."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

from reactree_ros.core.decision import Decision, Expand, parse_decision, to_text
from reactree_ros.core.futures import Future, Polled
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel, TextRequest
from reactree_ros.errors import DecisionError
from reactree_ros.lab.dataset.collect import (
    MOST_DECISIONS,
    TaughtRun,
    planner_of,
    services_of,
    taught_world,
)
from reactree_ros.lab.evaluation.plan import limits
from reactree_ros.lab.kept_model import kept_model
from reactree_ros.lab.teacher.kind import Solver
from reactree_ros.lab.watched_model import WatchedModel
from reactree_ros.planner.in_process import run_goal
from reactree_ros.sim.tasks import task_of

KINDS = ('Conditions', 'Think', 'Act', 'Recall', 'Expand', 'Done', 'Failure')


@dataclass(frozen=True)
class Compared:
    """A decision of the teacher, and the model's after the same prompt.

    Args:
        teacher: the kind of the teacher's, one of ``KINDS``.
        model: the kind of the model's; empty if it answered none.
        same: they are the same. Expansions are if they have the same control flow and as many
            subgoals, thoughts and failures if they are of one kind.
    """

    teacher: str
    model: str
    same: bool


class ComparingModel:
    """Answers as the teacher does, and asks a model for each decision as well.

    Args:
        teacher: decides.
        model: is compared.
    """

    def __init__(self, teacher: Solver, model: LanguageModel) -> None:
        self._teacher, self._model = teacher, model
        self.compared: list[Compared] = []
        """In the order of the decisions; what the teacher does not know is left out."""

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Return the teacher's decision once the model has decided, too."""
        decision = self._teacher.decision(request)
        if decision is None:
            return self._teacher.decide(request)
        asked = self._model.decide(request)

        def look() -> Answer | None:
            answer = asked.poll()
            if answer is None:
                return None
            self.compared.append(_compare(decision, answer.text, request))
            return Answer(to_text(decision), tokens_out=1)

        return Polled(look, asked.cancel)

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Have the teacher write, which refuses it."""
        return self._teacher.write(request)


def compare(runs: Iterable[TaughtRun]) -> Generator[list[Compared], None, None]:
    """Yield the decisions of each run; its student is the model that is compared.

    Raises:
        ModelError: if the model cannot be loaded, or fails.
    """
    for run in runs:
        most = limits(max_decisions=MOST_DECISIONS)
        options = planner_of(run, most, predicates_as_trained=True)
        taught = taught_world(task_of(run.task_set, run.task), run, options)
        asked = WatchedModel(kept_model(options.model))
        model = ComparingModel(taught.teacher, asked)
        services = services_of(taught, options, model)
        run_goal(run.instruction, services, most)
        if asked.failure is not None:
            raise asked.failure
        yield model.compared


def table(found: Sequence[Compared]) -> str:
    """Return the shares by kind of the teacher's decision, as Markdown."""
    lines = ['| teacher decides | decisions | same kind, % | same decision, % |',
             '| --- | ---: | ---: | ---: |']  # fmt: skip
    for kind in (*KINDS, ''):
        some = [one for one in found if kind in ('', one.teacher)]
        if some:
            alike = sum(one.teacher == one.model for one in some)
            same = sum(one.same for one in some)
            lines.append(
                f'| {kind or "all"} | {len(some)} | {100 * alike / len(some):.0f} '
                f'| {100 * same / len(some):.0f} |'
            )
    deeper = sum(one.model == 'Expand' and one.teacher == 'Act' for one in found)
    flatter = sum(one.teacher == 'Expand' and one.model != 'Expand' for one in found)
    lines += ['', f'Expands where the teacher acts: {deeper}; does not where it does: {flatter}.']
    return '\n'.join(lines)


def _compare(wanted: Decision, text: str, request: DecisionRequest) -> Compared:
    kind = type(wanted).__name__
    try:
        found = parse_decision(text, request.choices)
    except DecisionError:
        return Compared(kind, '', same=False)
    if isinstance(wanted, Expand) and isinstance(found, Expand):
        same = wanted.control_flow is found.control_flow and (
            len(wanted.subgoals) == len(found.subgoals)
        )
    elif kind in ('Think', 'Failure'):
        same = type(found) is type(wanted)
    else:
        same = found == wanted
    return Compared(kind, type(found).__name__, same)
