# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Forms of text: what is said in one of them can be written as a grammar, and read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from os.path import commonprefix
from typing import Any, TypeAlias

Form: TypeAlias = 'str | tuple[Form, ...] | list[Form] | Many | Made | Rule'
"""A text, forms one after the other, or a list of alternatives, of which the first counts."""
Fields = dict[str, Any]
"""What was read, by name; where a name comes twice, its values are tuples that are joined."""
Ways = list[tuple[Fields, int]]
"""What may be read from a place of the text on, and where that ends."""


@dataclass(frozen=True, eq=False)
class Many:
    """A form from no times to ``most``."""

    form: Form
    most: int = 1


@dataclass(frozen=True, eq=False)
class Made:
    """A form whose fields are made into others."""

    form: Form
    make: Callable[..., Fields]


@dataclass(frozen=True, eq=False)
class Rule:
    """A form with a rule of its own in a grammar, built when it is first needed."""

    kind: str
    build: Callable[[], Form]

    @cached_property
    def body(self) -> Form:
        """The form."""
        return self.build()


def said(text: str, **fields: Any) -> Made:
    """Return a text that says something."""
    return Made(text, partial(dict, **fields))


def rules(rule: Rule, named: Callable[[str], str], sign: str) -> str:
    """Write a rule and all under it with what Lark and GBNF have in common, one a line.

    Args:
        rule: keeps its name; the others get numbers.
        named: makes a name, words joined by ``_``, one of the grammar's.
        sign: stands between name and body.
    """
    names = {rule: rule.kind}
    lines = {}

    def source(form: Form) -> str:
        match form:
            case str():
                escaped = form.replace('\\', '\\\\').replace('"', '\\"')
                return f'"{escaped}"'
            case tuple():
                return ' '.join(map(source, form))
            case list():
                return f'({" | ".join(map(source, form))})'
            case Many(one, most):
                return f'({source(one)})' + (f'{{0,{most}}}' if most > 1 else '?')
            case Made(one):
                return source(one)
        name = names.setdefault(form, f'{form.kind}_{len(names)}')
        if name not in lines:
            lines[name] = ''
            lines[name] = f'{named(name)} {sign} {source(form.body)}\n'
        return named(name)

    source(rule)
    return ''.join(lines.values())


class Reader:
    """Reads a text in every way that a form allows.

    Args:
        text: in small letters.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[tuple[Rule, int], Ways] = {}
        self._far = 0

    @property
    def unread(self) -> int | None:
        """How many words come before the first that nothing fits; None if more should come."""
        return None if self._far == len(self._text) else self._text.count(' ', 0, self._far)

    def read(self, form: Form) -> Fields | None:
        """Return what the text says, read in the first way that there is; None without any."""
        whole = (fields for fields, end in self._ways(form, 0) if end == len(self._text))
        return next(whole, None)

    def _ways(self, form: Form, i: int) -> Ways:
        match form:
            case str():
                return [({}, i + len(form))] if self._has(form.casefold(), i) else []
            case tuple():
                found: Ways = [({}, i)]
                for part in form:
                    found = self._after(found, part)
                return found
            case list():
                self._far = max(self._far, i)
                return [one for way in form for one in self._ways(way, i)]
            case Many(one, most):
                found = [({}, i)]
                last = found
                while last and most:
                    last = self._after(last, one)
                    found, most = found + last, most - 1
                return found
            case Made(one, make):
                return [(make(**fields), end) for fields, end in self._ways(one, i)]
        if (form, i) not in self._known:
            self._known[form, i] = self._ways(form.body, i)
        return self._known[form, i]

    def _after(self, found: Ways, form: Form) -> Ways:
        return [
            (_joined(before, fields), end)
            for before, start in found
            for fields, end in self._ways(form, start)
        ]

    def _has(self, text: str, i: int) -> bool:
        """Return whether a text stands there, and note up to which word it does."""
        if self._text.startswith(text, i):
            return True
        same = i + len(commonprefix([text, self._text[i : i + len(text)]]))
        if same < len(self._text) or text[same - i] != ' ':
            same = self._text.rfind(' ', 0, same) + 1
        self._far = max(self._far, same)
        return False


def _joined(before: Fields, fields: Fields) -> Fields:
    twice = {name: before[name] + fields[name] for name in before.keys() & fields.keys()}
    return before | fields | twice
