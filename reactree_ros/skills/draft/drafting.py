# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes skills of what a robot offers: by what is known of the type, or by its definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import Template as Text

from reactree_ros.core.decision import is_own_word
from reactree_ros.core.plain_text import is_plain
from reactree_ros.errors import ConfigurationError
from reactree_ros.skills.call import Kind
from reactree_ros.skills.draft.catalogue import Catalogue, Known, Template, Value
from reactree_ros.skills.draft.library import Block, DraftSkill, blocks_of
from reactree_ros.skills.draft.words import (
    comment,
    distinction,
    key_of,
    unused,
    value,
    words_of,
)
from reactree_ros.skills.reader import ARGUMENT

_NO_FIELDS = '{}'
_MOST_WORDS = 2
_ASKED = 'approval: true  # a person is asked each time; take it out when it works'


@dataclass(frozen=True)
class Offer:
    """An action, a service or a topic that may become skills.

    Args:
        kind: what it is.
        name: its name, relative to the planner's namespace.
        type: its interface type.
        fields: lines on the fields of what is sent; only for types of which nothing is known.
        missing: why its type cannot be used here; empty if it can.
    """

    kind: Kind
    name: str
    type: str
    fields: tuple[str, ...] = ()
    missing: str = ''


@dataclass(frozen=True)
class Fact:
    """What a robot publishes of itself.

    Args:
        text: YAML.
        source: where it is from, for the person who reads the library.
    """

    text: str
    source: str


@dataclass(eq=False)
class Setting:
    """What a person may change of the skills of one offer.

    Args:
        label: what it is.
        text: what it is now.
    """

    label: str
    text: str


@dataclass
class Draft:
    """The skills of one offer, as far as they are decided.

    Args:
        offer: the offer.
        known: what is known of its type; None for nothing.
        phrases: of its skills.
        values: by name, what they need; only those that a person is asked for.
        facts: what the robot publishes of itself, by name.
        catalogue: what is known of all types.
        fields: what is sent, as YAML, for a type of which nothing is known.
        which: what distinguishes it from others with the same skills; empty for nothing.
    """

    offer: Offer
    known: Known | None
    catalogue: Catalogue
    phrases: list[Setting]
    values: dict[str, Setting] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    fields: Setting | None = None
    which: str = ''

    @property
    def templates(self) -> tuple[Template, ...]:
        """What its skills are made of."""
        return self.known.skills if self.known else (Template('', ''),)

    @property
    def settings(self) -> list[Setting]:
        """All that may be changed."""
        return [*self.phrases, *self.values.values(), *([self.fields] if self.fields else [])]

    @property
    def needs(self) -> frozenset[str]:
        """What the world must have."""
        found = frozenset(need for one in self.templates for need in one.needs)
        arguments = arguments_of(self.phrases[0].text) if not self.known else []
        return found | ({'places'} if arguments else set())

    def change(self, setting: Setting, text: str) -> None:
        """Change one of the settings.

        Raises:
            ConfigurationError: if it cannot be that.
        """
        text = ' '.join(text.split())
        if setting in self.phrases:
            number = self.phrases.index(setting)
            needed = arguments_of(self.templates[number].phrase) if self.known else None
            check_phrase(text, needed)
        elif not is_plain(text):
            raise ConfigurationError(f'{text!r} has a control character')
        setting.text = text


def draft_of(
    offer: Offer, others: Sequence[Offer], catalogue: Catalogue, facts: Mapping[str, Fact]
) -> Draft:
    """Return the skills that an offer may become, before a person has looked at them.

    Args:
        offer: the offer.
        others: the other offers that are chosen.
        catalogue: what is known of types.
        facts: what the robot publishes of itself.
    """
    known = catalogue.types.get(offer.type)
    words = ' '.join(words_of(offer.name)) or 'call'
    if known is None:
        phrase = words if not is_own_word(words) else f'call {words}'
        fields = Setting(offer.kind.filled, _NO_FIELDS)
        return Draft(offer, None, catalogue, [Setting('phrase', phrase)], fields=fields)
    same = [
        one.name
        for one in others
        if one is not offer and _is_alike(catalogue.types.get(one.type), known)
    ]
    which = distinction(offer.name, same) if same else ''
    if len(which.split()) > _MOST_WORDS:  # a name, not what distinguishes it
        which = ''
    named = {'words': words, **{name: fact.text for name, fact in facts.items()}}
    phrases = []
    for template in known.skills:
        phrase = Text(template.phrase).safe_substitute(named)
        if which and '$' not in template.phrase:
            phrase = f'{phrase} with {which}'
        if is_own_word(phrase):
            phrase = f'call {phrase}'
        phrases.append(Setting('phrase', phrase))
    values = {
        name: Setting(one.ask, default_of(one, facts).text)
        for name, one in known.values.items()
        if one.ask
    }
    return Draft(offer, known, catalogue, phrases, values, facts, which=which)


def _is_alike(one: Known | None, other: Known) -> bool:
    """Return whether two types become skills of the same names."""
    return one is not None and {each.name for each in one.skills} == {
        each.name for each in other.skills
    }


def default_of(one: Value, facts: Mapping[str, Fact]) -> Fact:
    """Return what a value is if nobody says it; its text is empty if there is nothing."""
    if one.fact in facts:
        return facts[one.fact]
    return Fact('' if one.default is None else str(one.default), 'a guess')


def skills_of(draft: Draft, names: set[str], phrases: set[str], observes: bool) -> list[DraftSkill]:
    """Return the skills of a draft.

    Args:
        draft: the draft.
        names: keys that are in use; those of the skills are added.
        phrases: phrases that are in use, without the names of their arguments; likewise.
        observes: whether the robot reports what it perceives.
    """
    if draft.known is None:
        return [_by_definition(draft, names, phrases)]
    found = []
    filled, notes, lacking = _filled(draft, draft.known)
    for template, setting in zip(draft.known.skills, draft.phrases, strict=True):
        body = Text(template.body).safe_substitute(filled)
        blocks = blocks_of(body)
        if template.effects and not observes:
            blocks = (*blocks, Block('effects', f'effects: {template.effects}'))
        used = [note for name, note in notes.items() if f'${name}' in template.body]
        found.append(
            DraftSkill(
                name=_key(template, draft, names),
                phrase=_phrase(setting.text, phrases),
                kind=draft.offer.kind,
                server=draft.offer.name,
                type=draft.offer.type,
                blocks=blocks,
                needs=template.needs,
                notes=(*([template.note] if template.note else []), *used),
                off=draft.offer.missing or lacking,
            )
        )
    return found


def arguments_of(phrase: str) -> list[str]:
    """Return the arguments of a phrase."""
    return ARGUMENT.findall(phrase)


def check_phrase(phrase: str, needed: list[str] | None) -> None:
    """Check a phrase that a person gave.

    Args:
        phrase: the phrase.
        needed: arguments that it must have, and no others; None for any.

    Raises:
        ConfigurationError: if it cannot be one.
    """
    rest = ARGUMENT.sub('', phrase)
    if not rest.strip() or not is_plain(phrase) or '{' in rest or '}' in rest:
        raise ConfigurationError(
            f'{phrase!r} is not a phrase: words, and arguments such as {{place}}'
        )
    if is_own_word(phrase):
        raise ConfigurationError(f'{phrase!r} is reserved by the planner')
    if needed is not None and sorted(arguments_of(phrase)) != sorted(needed):
        names = ', '.join(f'{{{one}}}' for one in needed) or 'no arguments'
        raise ConfigurationError(f'{phrase!r} must have {names}: its message is filled from that')


def _filled(draft: Draft, known: Known) -> tuple[dict[str, str], dict[str, str], str]:
    """Return values as YAML, notes on them, and why the skills cannot do without one."""
    filled, notes, lacking = {'words': ' '.join(words_of(draft.offer.name))}, {}, ''
    for name, one in known.values.items():
        setting, default = draft.values.get(name), default_of(one, draft.facts)
        if setting is not None:
            filled[name] = value(setting.text)
            if setting.text == default.text:
                notes[name] = f'The {one.ask}, is {setting.text or "empty"}: {default.source}.'
        elif default.text:
            filled[name] = default.text
        else:
            filled[name] = '[]'
            lacking = f'nothing was published of its {name} (topic joint_states)'
    return filled, notes, lacking


def _key(template: Template, draft: Draft, names: set[str]) -> str:
    words = ' '.join(words_of(draft.offer.name))
    name = Text(template.name).safe_substitute(words=words)
    which = draft.which if '$' not in template.name else ''
    return unused(key_of(f'{name} {which}'), names, '_')


def _phrase(phrase: str, phrases: set[str]) -> str:
    bare = ARGUMENT.sub('{}', phrase).lower()
    found = unused(bare, phrases, ' again ')
    return phrase + found.removeprefix(bare)


def _by_definition(draft: Draft, names: set[str], phrases: set[str]) -> DraftSkill:
    offer, phrase = draft.offer, draft.phrases[0].text
    arguments = arguments_of(phrase)
    assert draft.fields is not None
    filters = {one: draft.catalogue.filters.get(one, '{}') for one in arguments}
    blocks = []
    if filters:
        lines = [f'  {one}: {given}' for one, given in filters.items()]
        blocks.append(Block('arguments', '\n'.join(['arguments:', *lines])))
    blocks.append(Block('approval', _ASKED))
    blocks.append(Block('risk', 'risk: medium'))
    filled = offer.kind.filled
    lines = [f'{filled}: {draft.fields.text}']
    if draft.fields.text == _NO_FIELDS and offer.fields:
        lines.insert(0, f'# Fields that are not given keep these values; {filled} may set them:')
        lines[1:1] = comment('\n'.join(offer.fields))
    blocks.append(Block(filled, '\n'.join(lines)))
    key, limit = ('wait_sec', 1) if offer.kind is Kind.TOPIC else ('result_sec', 60)
    blocks.append(Block(key, f'{key}: {limit}'))
    note = f'Nothing is known of {offer.type}: this was made from its definition and its name.'
    return DraftSkill(
        name=unused(key_of(ARGUMENT.sub('', phrase)), names, '_'),
        phrase=_phrase(phrase, phrases),
        kind=offer.kind,
        server=offer.name,
        type=offer.type,
        blocks=tuple(blocks),
        notes=(note,),
        off=offer.missing,
    )
