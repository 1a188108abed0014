# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree bench-agreement``: how often models decide as published runs did."""

from __future__ import annotations

import argparse
import gc
import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactree_ros.behaviours.assembly import system_prompt
from reactree_ros.behaviours.options import planner_options
from reactree_ros.behaviours.strategies import REACTREE
from reactree_ros.commands.argument_types import positive
from reactree_ros.commands.machine import machine, say
from reactree_ros.core.settings import Settings
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.models.embedded import MODELS, encoder_folder
from reactree_ros.models.factory import check_options
from reactree_ros.models.options import CHAT, ModelOptions
from reactree_ros.paths import cache

if TYPE_CHECKING:
    from reactree_ros.evaluation.agreement import Case
    from reactree_ros.evaluation.agreement_run import ResultFile
    from reactree_ros.evaluation.wah_runs import RecordedNode

_IN_A_ROW = 'in-a-row'
_NOT_IN_A_NAME = r'[^\w.-]+'
_EXPERIENCES = ('with', _IN_A_ROW, 'without')


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-agreement',
        help='compare the decisions of models with those of published runs',
        description='Lets models take the decisions of published runs again and prints how often '
        'they decide the same, as Markdown. Every decision is kept in a folder: a second start '
        'goes on where the first one stopped, also with more decisions.',
    )
    parser.add_argument(
        '--data', type=Path, required=True, metavar='FILE', help='published runs, JSON lines'
    )
    parser.add_argument(
        '--models',
        type=_words(),
        default=list(MODELS),
        metavar='NAME,NAME,…',
        help='as the node parameter "model" (default: all packaged models)',
    )
    parser.add_argument(
        '--chat',
        type=_words(CHAT),
        default=['auto'],
        metavar='WORD,WORD,…',
        help='lay prompts out with the chat template: auto, always, never (default: auto)',
    )
    parser.add_argument(
        '--experiences',
        type=_words(_EXPERIENCES),
        default=['with', 'without'],
        metavar='WORD,WORD,…',
        help=f'with, without, or {_IN_A_ROW}: with, and each prompt is read in a row, not put '
        'together of experiences read before (default: with,without)',
    )
    parser.add_argument(
        '--decisions', type=positive(int), default=200, help='how many (default: 200)'
    )
    parser.add_argument(
        '--example-tokens',
        type=positive(int),
        default=Settings().example_tokens,
        help='token budget of experiences (default: %(default)s)',
    )
    parser.add_argument('--seed', type=int, default=0, help='of split and draw (default: 0)')
    parser.add_argument(
        '--think-twice', action='store_true', help='offer a thought right after a thought'
    )
    parser.add_argument(
        '--out',
        type=Path,
        default=cache('agreement'),
        metavar='FOLDER',
        help='where decisions are kept (default: %(default)s)',
    )
    parser.set_defaults(run=run)


def _words(allowed: Sequence[str] = ()) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        words = text.split(',')
        wrong = [word for word in words if not word or (allowed and word not in allowed)]
        if wrong:
            raise argparse.ArgumentTypeError(f'{wrong[0]!r} is none of {", ".join(allowed)}')
        return words

    return parse


def run(options: argparse.Namespace) -> int:
    """Take the decisions, print the tables, and return the exit code."""
    from reactree_ros.evaluation import agreement_table as table
    from reactree_ros.evaluation.agreement import draw_cases, split_tasks
    from reactree_ros.evaluation.agreement_run import ResultFile
    from reactree_ros.evaluation.wah_runs import read_runs

    nodes = read_runs(options.data)
    test, rest = split_tasks(nodes, options.seed)
    cases = draw_cases(nodes, test, options.decisions, options.seed, options.think_twice)
    if not cases or not rest:
        raise ConfigurationError(f'{options.data} has too few tasks to split')
    settings = _settings(options)
    for model in options.models:
        check_options(ModelOptions(model))
    done: list[tuple[table.Name, ResultFile]] = []  # files may hold more decisions than wanted
    for model in options.models:
        for chat in options.chat:
            name = f'{re.sub(_NOT_IN_A_NAME, "_", model)}-{chat}'
            files = {
                word: ResultFile(
                    options.out / f'{name}-{word}.jsonl',
                    {**settings, 'model': model, 'chat': chat, 'experiences': word},
                )
                for word in options.experiences
            }
            for in_a_row in (False, True):
                missing = {
                    word: file
                    for word, file in files.items()
                    if (word == _IN_A_ROW) == in_a_row and len(file.results) < len(cases)
                }
                if missing:
                    how = ModelOptions(model, chat=chat, share_examples=not in_a_row)
                    _decide(how, cases, rest, missing, options.example_tokens)
            done += [((model, chat, word), file) for word, file in files.items()]
    wanted = [(name, file.results[: len(cases)]) for name, file in done]
    results = wanted[0][1]
    print(f'{machine()}. {table.describe(results)}\n')
    print(table.HEAD, *table.baseline_rows(results), sep='\n')
    print(*(table.row(name, results) for name, results in wanted), sep='\n')
    print(f'\n{table.KIND_HEAD}', *(table.kind_row(name, results) for name, results in wanted),
          sep='\n')  # fmt: skip
    return 0


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    return {
        'data': hashlib.sha256(options.data.read_bytes()).hexdigest(),
        'system_prompt': hashlib.sha256(_system().encode()).hexdigest(),
        'example_tokens': options.example_tokens,
        'seed': options.seed,
        'think_twice': options.think_twice,
    }


def _system() -> str:
    return system_prompt(planner_options({}), REACTREE)


def _decide(
    model: ModelOptions,
    cases: Sequence[Case],
    rest: Sequence[RecordedNode],
    files: dict[str, ResultFile],
    token_budget: int,
) -> None:
    """Take the decisions of one model that are missing."""
    from reactree_ros.evaluation.agreement import PromptMaker
    from reactree_ros.evaluation.agreement_run import LocalEncoder, take_decisions
    from reactree_ros.models.factory import make_backend

    backend = make_backend(model, say)
    for word, file in files.items():
        encoder = LocalEncoder(encoder_folder(), backend.count) if word != 'without' else None
        maker = PromptMaker(_system(), rest, encoder, token_budget)
        prefix = f'{model.model}, chat {model.chat}, {word} experiences: '
        take_decisions(backend, cases, maker.make, file, lambda line: say(prefix + line))  # noqa: B023
    del backend
    gc.collect()  # the next model needs the memory
