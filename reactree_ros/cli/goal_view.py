# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a goal on its way: the growing tree on a terminal, one line an event elsewhere.

What is shown comes from other processes and from files: it is made plain first, so that it cannot
steer the terminal.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from reactree_ros.core.events import Event
from reactree_ros.core.outcome import Costs, NodeCosts
from reactree_ros.core.plain_text import plain

if TYPE_CHECKING:
    from reactree_ros.ros.goals.client import GoalResult

_STYLES = {'✓': 'green', '✕': 'red', '*': 'bold yellow', '-': 'dim'}
_OUTCOME_STYLES = {'succeeded': 'bold green', 'failed': 'bold red', 'canceled': 'bold yellow'}
_TREE_LINE = re.compile(r'(?P<indent> *)(?P<name>.*?) \[(?P<status>[✓✕*-])\](?P<feedback>.*)')
_MOST_STATUS = 4
_LEAST_TREE = 3
_LEAST_WIDTH = 20
_ALL_COLUMNS = 72
_LABEL = 11
_ASKS = 'The planner asks: '
_ANSWER = 'Your answer (Enter alone: decline):'


def is_live(console: Console) -> bool:
    """Return whether what is shown may be changed in place: not in a pipe, nor on TERM=dumb."""
    return console.is_interactive and console.file.isatty()


def make_view(console: Console) -> GoalView:
    """Return the view for a terminal or for a file."""
    return LiveView(console) if is_live(console) else GoalView(console)


class GoalView:
    """Shows a goal on its way, one line an event; a context manager.

    Args:
        console: where it is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._note = ''

    def __enter__(self) -> GoalView:
        """Begin to show."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

    def event(self, event: Event, tree: str) -> None:
        """Show what happened; an empty tree is unchanged."""
        indent = '  ' * (event.depth - 1)
        counts = f'{event.run.total_seconds:7.1f} s {event.run.decisions:4d} decisions  {indent}'
        robot = f'[{event.robot}] ' if event.robot else ''
        text = f'{counts}{robot}{event.kind}: {event.text}'
        print_text(self._console, text, hang=len(counts))

    def note(self, text: str) -> None:
        """Show what is being waited for, once."""
        if text != self._note:
            self._note = text
            print_text(self._console, text)

    def ask(self, question: str, options: Sequence[str] = ()) -> None:
        """Show a question and the answers to choose from; the person types below it."""
        print_text(self._console, f'{_ASKS}{question}\n{_prompt(options)}')

    def say(self, text: str) -> None:
        """Show lines of a question; the person types below them."""
        for line in text.splitlines():
            print_text(self._console, line)

    def answered(self, remark: str = '') -> None:
        """Continue after a question, with a remark if the answer was not taken."""
        if remark:
            print_text(self._console, remark)


class LiveView(GoalView):
    """The tree in place, as it grows; the end of it, if it is longer than the terminal.

    Args:
        console: the terminal.
    """

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._tree = ''
        self._event: Event | None = None
        self._since = time.monotonic()
        self._width = console.width
        self._spinner = Spinner('dots')
        self._live = self._new_live()

    def __enter__(self) -> LiveView:
        """Begin to show."""
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End; what was shown is taken away."""
        self._live.stop()

    def event(self, event: Event, tree: str) -> None:
        """Show an event and the tree."""
        self._event = event
        self._since = time.monotonic()
        self._tree = tree or self._tree
        self._note = ''

    def note(self, text: str) -> None:
        """Show what is being waited for."""
        self._note = text

    def ask(self, question: str, options: Sequence[str] = ()) -> None:
        """Take the tree away while the person types."""
        self._live.stop()
        line = Text(_ASKS, style='bold')
        line.append(plain(question), style='bold yellow')
        print_text(self._console, line)
        prompt = Text(plain(f'{_prompt(options)} '), style='dim')
        self._console.print(prompt, end='', soft_wrap=True)

    def say(self, text: str) -> None:
        """Take the tree away while the person types."""
        self._live.stop()
        *lines, last = text.splitlines()
        for line in lines:
            self._console.print(Text(plain(line)), soft_wrap=True)
        self._console.print(Text(f'{plain(last)} ', style='bold yellow'), end='', soft_wrap=True)

    def answered(self, remark: str = '') -> None:
        """Show the tree again, below the remark if there is one."""
        self._live.stop()
        if remark:
            self._console.print()
            print_text(self._console, remark, 'dim')
        self._live = self._new_live()
        self._live.start()

    def _new_live(self) -> Live:
        return Live(
            console=self._console,
            get_renderable=self._render,
            refresh_per_second=8,
            transient=True,
        )

    def _render(self) -> Group:
        width = self._console.width
        if width < self._width:
            # the terminal has wrapped what is there: nobody knows how far up it begins
            self._console.clear()
        self._width = width
        status = list(self._status().wrap(self._console, max(_LEAST_WIDTH, width - 2)))
        if len(status) > _MOST_STATUS:
            del status[_MOST_STATUS:]
            status[-1].append('…')
        self._spinner.update(text=Text('\n').join(status))
        room = max(_LEAST_TREE, self._console.height - len(status) - 3)
        return Group(*self._shown(room, width), self._spinner)

    def _shown(self, room: int, width: int) -> Iterator[Text]:
        """Yield so much of the tree as there is room for, with what runs in it."""
        lines = list(_tree_lines(self._tree, width))
        running = max((n for n, line in enumerate(lines) if ' [*]' in line.plain), default=0)
        end = min(len(lines), max(room, running + 1 + room // 2))
        begin = max(0, end - room)
        if begin:
            yield Text(f'… {begin} lines above', style='dim')
        yield from lines[begin:end]
        if end < len(lines):
            yield Text(f'… {len(lines) - end} lines below', style='dim')

    def _status(self) -> Text:
        event = self._event
        seconds = time.monotonic() - self._since
        status = Text()
        if event is not None:
            run = event.run
            seconds += run.total_seconds
            status.append(f'{run.decisions} decisions, {run.skills} skills, ', style='cyan')
        status.append(f'{seconds:.0f} s  ', style='cyan')
        if self._note:
            status.append(plain(self._note))
        elif event is not None:
            status.append(plain(f'{event.kind}: {event.text}'))
        return status


def _prompt(options: Sequence[str]) -> str:
    """Return what stands before the answer.

    >>> _prompt(['yes', 'no'])
    '[1] yes  [2] no  (number or word; Enter alone: decline):'
    """
    if not options:
        return _ANSWER
    numbered = '  '.join(f'[{number}] {one}' for number, one in enumerate(options, 1))
    return f'{numbered}  (number or word; Enter alone: decline):'


def _tree_lines(tree: str, width: int, *, whole: bool = False) -> Iterator[Text]:
    """Yield the lines of a tree in the colours of their statuses, less indented if it is narrow.

    Args:
        tree: as py_trees draws it.
        width: columns of the terminal. A line is cut there; its status is not.
        whole: names, and the feedback of all but successful behaviours, go on in further lines.
    """
    lines = plain(tree).rstrip().splitlines()
    deepest = max((len(line) - len(line.lstrip(' ')) for line in lines), default=0) // 4
    step = min(4, max(1, width // 3 // max(1, deepest)))
    for line in lines:
        match = _TREE_LINE.fullmatch(line)
        if match is None:
            yield Text(line)
            continue
        indent, name, status, feedback = match.groups()
        text = Text(' ' * (len(indent) // 4 * step) + name)
        if not whole:
            text.truncate(width - 4, overflow='ellipsis')
        text.append(f' [{status}]', style=_STYLES[status])
        rest = Text(feedback, 'dim')
        room = width - text.cell_len
        if status != '✓' and whole:
            yield text.append_text(rest)
        elif room > 0:
            rest.truncate(room, overflow='ellipsis')
            yield text.append_text(rest)
        else:
            yield text


def print_outcome(console: Console, result: GoalResult) -> None:
    """Print how a goal ended: the final tree, what it and each agent node cost, the outcome."""
    if result.tree.strip():
        if is_live(console):
            for line in _tree_lines(result.tree, console.width, whole=True):
                print_text(console, line, hang=len(line.plain) - len(line.plain.lstrip()) + 4)
        else:
            print_text(console, result.tree.rstrip())
        columns = None if not is_live(console) or console.width >= _ALL_COLUMNS else 3
        head, *rows = _node_rows(result.nodes, columns)
        print_text(console, f'{head}agent node', 'dim')
        for node, row in zip(result.nodes, rows, strict=True):
            line = Text(row + '  ' * (len(node.path) - 1) + plain(node.path[-1]))
            if is_live(console):  # the tree has the whole name
                line.truncate(console.width, overflow='ellipsis')
            print_text(console, line)
        for label, value in _totals(result.costs):
            print_text(console, f'{label:{_LABEL}}{value}', hang=_LABEL)
    for one in result.conditions:
        print_text(console, f'condition: {one.text} ({"holds" if one.met else one.detail})')
    if result.answer:
        print_text(console, f'answer: {result.answer}')
    text = Text(plain(result.status), style=_OUTCOME_STYLES.get(result.status, ''))
    if result.unconfirmed:
        text.append(' (unconfirmed)', style='yellow')
    text.append(plain(f': {result.message}'), style='default')
    print_text(console, text)


def _node_rows(nodes: Sequence[NodeCosts], most: int | None) -> Iterator[str]:
    """Yield a head and one line for each agent node, without the nodes below it.

    Args:
        nodes: in the order of their lines.
        most: columns; None for all.
    """
    table: list[tuple[str, ...]] = [
        ('decisions', 'skills', 'tokens', 'reused', 'queued', 'prefill', 'decode')
    ]
    for costs in (node.costs for node in nodes):
        seconds = (costs.queued_seconds, costs.prefill_seconds, costs.decode_seconds)
        counts = (f'{costs.decisions}', f'{costs.skills}', f'{costs.tokens_in:,}')
        table.append((*counts, f'{costs.reused:.0%}', *(f'{one:.1f} s' for one in seconds)))
    table = [row[:most] for row in table]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        yield ''.join(f'{cell:>{width}}  ' for cell, width in zip(row, widths, strict=True))


def _totals(costs: Costs) -> Iterator[tuple[str, str]]:
    yield 'decisions', f'{costs.decisions}'
    yield 'skills', f'{costs.skills}'
    if costs.questions:
        yield 'questions', f'{costs.questions}'
    dropped = f', {costs.dropped} parts left out' if costs.dropped else ''
    tokens = f'{costs.tokens_in:,} in ({costs.reused:.0%} of them reused), {costs.tokens_out:,} out'
    yield 'tokens', tokens + dropped
    parts = {'model': costs.model_seconds, 'skills': costs.skill_seconds}
    if costs.questions:
        parts['operator'] = costs.operator_seconds
    yield 'seconds', _sum(costs.total_seconds, parts, 'everything else')
    parts = {
        'queued': costs.queued_seconds,
        'prefill': costs.prefill_seconds,
        'decode': costs.decode_seconds,
    }
    yield 'model', _sum(costs.model_seconds, parts, 'on the way')


def _sum(total: float, parts: dict[str, float], rest: str) -> str:
    named = ' + '.join(f'{name} {seconds:.1f}' for name, seconds in parts.items())
    return f'{total:.1f} = {named} + {rest} {max(0.0, total - sum(parts.values())):.1f}'


def print_text(console: Console, text: str | Text, style: str = '', hang: int = 0) -> None:
    """Print external text without control characters; nothing of it is cut.

    Args:
        console: where to. On a terminal lines break between words, elsewhere they are left alone.
        text: plain text, or one that is made plain first.
        style: its style, if it has none.
        hang: columns before what is continued, for there is more above it.
    """
    if isinstance(text, str):
        text = Text(plain(text), style)
    width = console.width
    for line in text.split('\n', allow_blank=True):
        if is_live(console) and line.cell_len > width:
            first = line.wrap(console, width)[0]
            rest = line[len(first) :]
            rest = rest[len(rest.plain) - len(rest.plain.lstrip(' ')) :]
            hang = max(0, min(hang, width - _LEAST_WIDTH))
            console.print(first, highlight=False, soft_wrap=True)
            line = Text('\n').join(
                Text(' ' * hang).append_text(one) for one in rest.wrap(console, width - hang)
            )
        console.print(line, highlight=False, soft_wrap=True)
