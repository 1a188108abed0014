# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Times the grammar work of a decision, without a network, for one grammar engine or two.

The work is to build the grammar of a set of skills and, for each token of the decision, to find
out what may come next. xgrammar takes part where it is installed; it is no requirement.

Run it as ``python -m reactree_ros.evaluation.bench_grammar``.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactree_ros.core.decision import Choices
from reactree_ros.core.gbnf import decision_gbnf
from reactree_ros.models.embedded import MODELS

if TYPE_CHECKING:  # the engine is loaded when it is used
    from reactree_ros.models.constraint import Vocabulary

SKILLS = (10, 120, 1_000)
SETS = 21
PLACES = ('kitchen cabinet', 'fridge', 'drawer', 'shelf', 'coffee table', 'sink', 'desk', 'sofa')
THINGS = ('water glass', 'plate', 'apple', 'cupcake', 'remote control', 'book', 'mug', 'towel')
VERBS = {'go to': PLACES, 'open': PLACES, 'pick up': THINGS, 'put down': THINGS}
THOUGHT = 'Think: I should look into the kitchen cabinet before I go to the bedroom.\n'
EXPANSION = (
    'Expand: sequence ["find and pick up the apple", "go to the kitchen", '
    '"put down the apple on the table"]\n'
)
HEAD = (
    '| engine | vocabulary | skills | set | build (ms) | worst build (ms) '
    '| act (ms) | thought (ms) | expansion (ms) |\n|---|---|---|---|---|---|---|---|---|'
)


@dataclass(frozen=True)
class Row:
    """Grammar work of an engine, in milliseconds; medians over different sets.

    Args:
        engine: name of the engine, and how it was used.
        vocabulary: name of the tokenizer and its number of tokens.
        skills: size of the sets.
        seen: whether the engine has had the same set before.
        build_ms: building the grammar.
        worst_build_ms: the same, the longest.
        decision_ms: a whole decision, building included, for an act, a thought, an expansion.
    """

    engine: str
    vocabulary: str
    skills: int
    seen: bool
    build_ms: float
    worst_build_ms: float
    decision_ms: tuple[float, float, float]

    def text(self) -> str:
        """Return a row of the table."""
        numbers = (self.build_ms, self.worst_build_ms, *self.decision_ms)
        return (
            f'| {self.engine} | {self.vocabulary} | {self.skills} '
            f'| {"seen" if self.seen else "new"} | '
            + ' | '.join(f'{number:.2f}' for number in numbers)
            + ' |'
        )


Steps = Callable[[str], float]
"""Walks through a decision line; returns the seconds that the engine worked."""
Build = Callable[[Choices], Callable[[], Steps]]
"""Builds a grammar; each call of the result starts a decision anew."""


def skill_set(generator: random.Random, count: int) -> tuple[str, ...]:
    """Return phrases as an apartment with many numbered objects has them."""
    phrases: dict[str, None] = {}
    while len(phrases) < count:
        verb = generator.choice(list(VERBS))
        phrases[f'{verb} {generator.choice(VERBS[verb])} {generator.randint(1, 60)}'] = None
    return tuple(phrases)


def bench_grammar(
    tokenizers: dict[str, Path],
    skills: Sequence[int] = SKILLS,
    sets: int = SETS,
    say: Callable[[str], None] = lambda text: None,
) -> list[Row]:
    """Time the grammar work of decisions.

    Args:
        tokenizers: ``tokenizer.json`` of each model, by name.
        skills: sizes of the sets.
        sets: how many different sets of each size.
        say: called with a line of progress.
    """
    rows: list[Row] = []
    if not find_spec('xgrammar'):
        say('xgrammar is not installed and is left out')
    for model, path in tokenizers.items():
        for engine, vocabulary, build in _engines(path):
            for count in skills:
                say(f'{model}: {engine}, {count} skills')
                rows += _time(engine, f'{model} ({vocabulary})', count, sets, build)
    return rows


def _time(engine: str, vocabulary: str, count: int, sets: int, build: Build) -> list[Row]:
    generator = random.Random(count)
    builds: dict[bool, list[float]] = {False: [], True: []}
    works: dict[bool, list[tuple[float, ...]]] = {False: [], True: []}
    for _ in range(sets):
        choices = Choices(skill_set(generator, count))
        act = f'Act: {generator.choice(choices.skills)}\n'
        for seen in (False, True):
            begin = time.perf_counter()
            start = build(choices)
            builds[seen].append(time.perf_counter() - begin)
            works[seen].append(tuple(start()(line) for line in (act, THOUGHT, EXPANSION)))
    rows = []
    for seen in (False, True):
        median = statistics.median(builds[seen])
        totals = [
            1e3 * (median + statistics.median(kind)) for kind in zip(*works[seen], strict=True)
        ]
        act_ms, thought_ms, expansion_ms = totals
        worst = 1e3 * max(builds[seen])
        rows.append(
            Row(
                *(engine, vocabulary, count, seen, 1e3 * median, worst),
                (act_ms, thought_ms, expansion_ms),
            )
        )
    return rows


def _engines(path: Path) -> Iterator[tuple[str, int, Build]]:
    from reactree_ros.models.constraint import Vocabulary

    vocabulary = Vocabulary(str(path))
    for name, every_mask in (('llguidance', False), ('llguidance, every mask', True)):
        yield name, vocabulary.size, _llguidance(vocabulary, every_mask)
    if find_spec('xgrammar'):
        yield 'xgrammar, every mask', vocabulary.size, _xgrammar(path, vocabulary)


def _llguidance(vocabulary: Vocabulary, every_mask: bool) -> Build:
    def build(choices: Choices) -> Callable[[], Steps]:
        constraints = [vocabulary.constrain(choices)]

        def start() -> Steps:
            constraint = constraints.pop() if constraints else vocabulary.constrain(choices)

            def steps(line: str) -> float:
                seconds, written = 0.0, ''
                while True:
                    begin = time.perf_counter()
                    if constraint.finished:
                        return seconds + time.perf_counter() - begin
                    if tokens := constraint.forced():
                        constraint.write(tokens)
                        seconds += time.perf_counter() - begin
                    else:
                        if every_mask:
                            constraint.mask()
                        elif not constraint.is_free():
                            constraint.allowed()
                        seconds += time.perf_counter() - begin
                        tokens = vocabulary.tokenize(line[len(written) :])[:1]
                        begin = time.perf_counter()
                        constraint.write(tokens)
                        seconds += time.perf_counter() - begin
                    written += vocabulary.text(tokens)

            return steps

        return start

    return build


def _xgrammar(path: Path, vocabulary: Vocabulary) -> Build:
    # It is no requirement, so the type checker may not find it either.
    import xgrammar  # type: ignore[import-not-found,unused-ignore]
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(path))
    tokens: Any = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocabulary.size)
    compiler = xgrammar.GrammarCompiler(tokens, max_threads=1)
    mask = xgrammar.allocate_token_bitmask(1, vocabulary.size)

    def build(choices: Choices) -> Callable[[], Steps]:
        grammar = compiler.compile_grammar(decision_gbnf(choices))

        def start() -> Steps:
            matcher = xgrammar.GrammarMatcher(grammar)

            def steps(line: str) -> float:
                seconds = 0.0
                for token in vocabulary.tokenize(line):
                    begin = time.perf_counter()
                    matcher.fill_next_token_bitmask(mask)
                    if not matcher.accept_token(token):
                        raise AssertionError(f'xgrammar refuses {line!r}')
                    seconds += time.perf_counter() - begin
                return seconds

            return steps

        return start

    return build


def installed_tokenizers() -> dict[str, Path]:
    """Return a tokenizer for each family of packaged models that is ready to use."""
    ready = [model for model in MODELS.values() if model.ready]
    families = {model.name.partition('-')[0]: model for model in ready}
    return {model.name: model.folder / 'tokenizer.json' for model in families.values()}


def grammar_table(say: Callable[[str], None], sets: int = SETS) -> str:
    """Time the grammar work with the installed tokenizers and return a table in Markdown.

    Args:
        say: called with a line of progress.
        sets: how many different sets of skills of each size.
    """
    rows = bench_grammar(installed_tokenizers(), sets=sets, say=say)
    return '\n'.join([HEAD, *(row.text() for row in rows)])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description='Time the grammar work of a decision.')
    parser.add_argument('--sets', type=int, default=SETS, help='sets of skills of each size')
    print(grammar_table(print, parser.parse_args().sets))


if __name__ == '__main__':
    main()
