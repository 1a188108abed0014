# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a goal on its way: the growing tree on a terminal, one line an event elsewhere.

What is shown comes from other processes and from files: it is made plain first, so that it cannot
steer the terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from reactree_ros.core.events import Event
from reactree_ros.core.outcome import ConditionState, Costs, NodeCosts
from reactree_ros.core.plain_text import plain

_STYLES = {'✓': 'green', '✕': 'red', '*': 'bold yellow', '-': 'dim'}
_OUTCOME_STYLES = {'succeeded': 'bold green', 'failed': 'bold red', 'canceled': 'bold yellow'}
_FRAME_LINES = 5
_ASKS = 'The planner asks: '
_ANSWER = 'Your answer (Enter alone: decline):'


def make_view(console: Console) -> GoalView:
    """Return the view for a terminal or for a file."""
    return LiveView(console) if console.is_terminal else GoalView(console)


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
        counts = f'{event.run.total_seconds:7.1f} s {event.run.decisions:4d} decisions  '
        robot = f'[{event.robot}] ' if event.robot else ''
        print_text(self._console, f'{counts}{indent}{robot}{event.kind}: {event.text}')

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
        self._console.print(line, soft_wrap=True)
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
            self._console.print(Text(plain(remark), style='dim'), soft_wrap=True)
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
        lines = self._tree.rstrip().splitlines()
        room = max(3, self._console.height - _FRAME_LINES)
        hidden = max(0, len(lines) - room)
        parts = [Text(f'… {hidden} lines above', style='dim')] if hidden else []
        parts += [tree_line(line) for line in lines[hidden:]]
        self._spinner.update(text=self._status())
        return Group(*parts, self._spinner)

    def _status(self) -> Text:
        status = Text(no_wrap=True, overflow='ellipsis')
        event = self._event
        if event is not None:
            run = event.run
            counts = f'{run.decisions} decisions, {run.skills} skills, {run.total_seconds:.0f} s  '
            status.append(counts, style='cyan')
        if self._note:
            status.append(self._note)
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


def tree_line(line: str) -> Text:
    """Return a line of a tree in the colour of its status, cut at the terminal's edge."""
    head, bracket, rest = plain(line).partition('[')
    style = _STYLES.get(rest[:1], '') if bracket else ''
    text = Text(head, no_wrap=True, overflow='ellipsis')
    text.append(bracket + rest[:2], style=style)
    text.append(rest[2:], style='dim')
    return text


def print_outcome(
    console: Console,
    status: str,
    message: str,
    tree: str,
    costs: Costs,
    nodes: Sequence[NodeCosts],
    conditions: Sequence[ConditionState] = (),
    unconfirmed: bool = False,
    answer: str = '',
) -> None:
    """Print how a goal ended: the final tree, what it and each agent node cost, the outcome."""
    if tree.strip():
        for line in tree.rstrip().splitlines():
            if console.is_terminal:
                console.print(tree_line(line), no_wrap=True, overflow='ellipsis')
            else:
                print_text(console, line)
        console.print(_node_table(nodes))
        console.print(_cost_table(costs))
    for one in conditions:
        print_text(console, f'condition: {one.text} ({"holds" if one.met else one.detail})')
    if answer:
        print_text(console, f'answer: {answer}')
    text = Text(plain(status), style=_OUTCOME_STYLES.get(status, ''))
    if unconfirmed:
        text.append(' (unconfirmed)', style='yellow')
    text.append(plain(f': {message}'), style='default')
    console.print(text, soft_wrap=True)


def _node_table(nodes: Sequence[NodeCosts]) -> Table:
    """Return one line for each agent node, without the nodes below it."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style='dim')
    table.add_column(Text('agent node', no_wrap=True))
    for name in ('decisions', 'skills', 'tokens', 'reused', 'queued', 'prefill', 'decode'):
        table.add_column(name, justify='right', no_wrap=True)
    for node in nodes:
        costs = node.costs
        table.add_row(
            Text(
                '  ' * (len(node.path) - 1) + plain(node.path[-1]),
                no_wrap=True,
                overflow='ellipsis',
            ),
            f'{costs.decisions}',
            f'{costs.skills}',
            f'{costs.tokens_in:,}',
            f'{costs.reused:.0%}',
            f'{costs.queued_seconds:.1f} s',
            f'{costs.prefill_seconds:.1f} s',
            f'{costs.decode_seconds:.1f} s',
        )
    return table


def _cost_table(costs: Costs) -> Table:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row('decisions', f'{costs.decisions}')
    table.add_row('skills', f'{costs.skills}')
    if costs.questions:
        table.add_row('questions', f'{costs.questions}')
    dropped = f', {costs.dropped} parts left out' if costs.dropped else ''
    table.add_row(
        'tokens',
        f'{costs.tokens_in:,} in ({costs.reused:.0%} of them reused), {costs.tokens_out:,} out'
        f'{dropped}',
    )
    parts = {'model': costs.model_seconds, 'skills': costs.skill_seconds}
    if costs.questions:
        parts['operator'] = costs.operator_seconds
    table.add_row('seconds', _sum(costs.total_seconds, parts, 'everything else'))
    parts = {
        'queued': costs.queued_seconds,
        'prefill': costs.prefill_seconds,
        'decode': costs.decode_seconds,
    }
    table.add_row('model', _sum(costs.model_seconds, parts, 'on the way'))
    return table


def _sum(total: float, parts: dict[str, float], rest: str) -> str:
    named = ' + '.join(f'{name} {seconds:.1f}' for name, seconds in parts.items())
    return f'{total:.1f} = {named} + {rest} {max(0.0, total - sum(parts.values())):.1f}'


def print_text(console: Console, text: str) -> None:
    """Print external text verbatim, without control characters."""
    console.print(plain(text), markup=False, highlight=False, soft_wrap=True)
