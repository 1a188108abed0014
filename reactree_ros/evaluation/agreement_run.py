# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Takes the decisions of an agreement test, each kept on disk, so that it can be gone on with."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reactree_ros.core.decision import Think, to_text
from reactree_ros.core.prompt import Prompt
from reactree_ros.evaluation.agreement import Case, compare, kind_of
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.models.backend import Backend, Watch
from reactree_ros.models.embedded import encoder_folder
from reactree_ros.models.factory import encoder_name
from reactree_ros.models.interface import Ready, Vectors

TIME_LIMIT_S = 600.0
"""Of one decision; the first of a node reads thousands of tokens on a slow machine."""


@dataclass(frozen=True)
class Result:
    """One decision of a model beside that of the run.

    Args:
        case: number of the case.
        task_id: task of the run.
        kind: what the run did: Think, Act or Expand.
        after_thought: whether the step before was a thought.
        decision: what the run decided.
        answer: what the model decided.
        options: skills and classes to recall that it chose from.
        added: whether the run's decision had to be added to these.
        same_kind: see ``Match``.
        same_flow: likewise.
        same_decision: likewise.
        tokens_in: tokens of the prompt.
        tokens_reused: those that were not read anew.
        tokens_out: tokens of the answer.
        seconds: wall time.
    """

    case: int
    task_id: int
    kind: str
    after_thought: bool
    decision: str
    answer: str
    options: int
    added: bool
    same_kind: bool
    same_flow: bool
    same_decision: bool
    tokens_in: int
    tokens_reused: int
    tokens_out: int
    seconds: float


class ResultFile:
    """Results on disk: a line with the settings, then one JSON object a line.

    Args:
        path: the file; made if it is not there.
        settings: what the results depend on.

    Raises:
        ConfigurationError: if the file holds results of other settings, or cannot be used.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            written = path.read_bytes() if path.exists() else b''
            # A line without its end is what an interruption left; that decision is taken again.
            whole = written[: written.rfind(b'\n') + 1]
            if len(whole) < len(written):
                path.write_bytes(whole)
            if not whole:
                self._append(settings)
            lines = [json.loads(line) for line in whole.decode('utf-8').splitlines()]
            self.results = [Result(**line) for line in lines[1:]]
        except (OSError, ValueError, TypeError) as error:
            raise ConfigurationError(
                f'cannot go on with the results {path}: {error}; remove the file, or name another '
                'folder with --out'
            ) from error
        if lines and lines[0] != settings:
            raise ConfigurationError(
                f'{path} holds results of other settings ({json.dumps(lines[0])}): remove it, or '
                'name another folder with --out'
            )

    def add(self, result: Result) -> None:
        """Write a result down."""
        self._append(asdict(result))
        self.results.append(result)

    def _append(self, line: dict[str, Any]) -> None:
        with self._path.open('a', encoding='utf-8') as file:
            file.write(json.dumps(line, ensure_ascii=False) + '\n')


class LocalEncoder:
    """The sentence encoder and a back end's token counts, both in this process.

    Args:
        folder: of a sentence-transformers model.
        count: counts the tokens of a text.
    """

    def __init__(self, folder: Path, count: Callable[[str], int]) -> None:
        from sentence_transformers import SentenceTransformer

        self._transformer = SentenceTransformer(str(folder), device='cpu')
        self._count = count
        self.encoder_name = encoder_name('' if folder == encoder_folder() else str(folder))

    def embed(self, texts: tuple[str, ...]) -> Ready[Vectors]:
        """Return the embeddings of texts."""
        return Ready(
            self._transformer.encode(
                list(texts), normalize_embeddings=True, show_progress_bar=False
            )
        )

    def count(self, texts: tuple[str, ...]) -> Ready[tuple[int, ...]]:
        """Return the number of tokens of each text."""
        return Ready(tuple(map(self._count, texts)))


def take_decisions(
    backend: Backend,
    cases: Sequence[Case],
    make_prompt: Callable[[Case], Prompt],
    file: ResultFile,
    say: Callable[[str], None],
) -> None:
    """Take the decisions that are not yet in the file.

    Args:
        backend: the model.
        cases: all decisions.
        make_prompt: makes the prompt of a case.
        file: keeps the results.
        say: called with a line of progress after every node.

    Raises:
        ModelError: if the model fails; what was decided by then is kept.
        Interrupted: if a decision takes longer than its time limit.
    """
    begin, before = time.monotonic(), len(file.results)
    for number in range(before, len(cases)):
        case = cases[number]
        prompt = make_prompt(case)
        start = time.monotonic()
        answer = backend.decide(prompt, case.choices, Watch(TIME_LIMIT_S))
        seconds = time.monotonic() - start
        match = compare(case.decision, answer.text, case.choices)
        steps = case.trajectory.steps
        file.add(
            Result(
                case=number,
                task_id=case.node.task_id,
                kind=kind_of(case.decision),
                after_thought=bool(steps) and steps[-1].text.startswith(f'{Think.__name__}: '),
                decision=to_text(case.decision),
                answer=answer.text,
                options=len(case.choices.skills) + len(case.choices.recall),
                added=case.added,
                same_kind=match.kind,
                same_flow=match.flow,
                same_decision=match.decision,
                tokens_in=answer.tokens_in,
                tokens_reused=answer.tokens_reused,
                tokens_out=answer.tokens_out,
                seconds=round(seconds, 3),
            )
        )
        done = number + 1
        if done == len(cases) or cases[done].node is not case.node:
            each = (time.monotonic() - begin) / (done - before)
            left = each * (len(cases) - done)
            say(f'{done}/{len(cases)}, {each:.1f} s each, {left / 60:.0f} min left')
