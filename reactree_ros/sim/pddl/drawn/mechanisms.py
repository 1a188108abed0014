# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What drawn PDDL domains are made of: each function adds objects, facts and actions to a sketch.

The agent may have to go where things are; it holds one thing, or has several holders. Where a
mechanism needs one that is missing, it does without: things are then wherever the agent is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.pddl.drawn.sketch import DrawnAction, Sketch
from reactree_ros.sim.vocabulary import Noun, Trade


@dataclass
class Drafting:
    """A domain that is being drawn.

    Args:
        draw: decides.
        trade: gives the words.
        sketch: what was drawn.
        places: objects that the agent can be at; none if it need not go anywhere.
        items: objects that it can hold.
        used: words that objects are called already.
    """

    draw: Draw
    trade: Trade
    sketch: Sketch = field(default_factory=Sketch)
    places: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    @property
    def here(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """Parameters and needs of an action at the agent's place; none without places."""
        return ({'p': 'place'}, ('agent-at ?p',)) if self.places else ({}, ())

    def names(self, nouns: Sequence[Noun], count: int) -> list[str]:
        """Return names of objects: of one noun with numbers, or of several nouns."""
        free = [one.name for one in nouns if one.name.isascii() and one.name not in self.used]
        free = [one for one in self.draw.shuffled(free) if one.replace(' ', '').isalpha()]
        if len(free) >= count and self.draw.chance(0.4):
            self.used.update(free[:count])
            return free[:count]
        word = free[0] if free else f'thing{len(self.used)}'.translate(_NO_DIGITS)
        self.used.add(word)
        return [f'{word}{number}' for number in range(1, count + 1)]

    def act(
        self,
        name: str,
        parameters: dict[str, str],
        needs: Sequence[str],
        makes: Sequence[str],
        phrase: str,
        rule: str,
    ) -> None:
        """Add an action; its name and phrase are those of one of several verbs."""
        self.sketch.actions.append(
            DrawnAction(name, parameters, tuple(needs), tuple(makes), phrase, rule)
        )

    def spot(self) -> str:
        """Return a place."""
        return self.draw.pick(self.places)


_NO_DIGITS = str.maketrans('0123456789', 'abcdefghij')


def going(one: Drafting) -> None:
    """Places, between all of which there is a way, or only between neighbours."""
    draw, sketch = one.draw, one.sketch
    lists = one.trade.lists
    nouns = lists['rooms'] if draw.chance(0.5) else lists['surfaces']
    one.places = sketch.add_objects('place', one.names(nouns, draw.whole(2, 4)))
    sketch.add_predicate(
        'agent-at', ['place'], draw.pick(['the robot is at {a}', 'you are at {a}'])
    )
    sketch.holds(f'agent-at {one.spot()}')
    sketch.wishes.add('agent-at')
    verb = draw.pick(['go', 'move', 'drive', 'walk', 'travel'])
    needs, rule = ['agent-at ?p'], 'You can go from where you are to any other place.'
    if len(one.places) > 2 and draw.chance(0.5):
        sketch.add_predicate('way', ['place', 'place'], 'there is a way from {a} to {b}')
        for first, second in zip(one.places, one.places[1:], strict=False):
            sketch.holds(f'way {first} {second}', f'way {second} {first}')
        needs.append('way ?p ?q')
        rule = 'You can go from where you are along a way.'
    one.act(verb, {'p': 'place', 'q': 'place'}, needs, ['not agent-at ?p', 'agent-at ?q'],
            f'{verb} from {{p}} to {{q}}', rule)  # fmt: skip


def carrying(one: Drafting) -> None:
    """Things that are taken and put down."""
    draw, sketch = one.draw, one.sketch
    nouns = [noun for things in one.trade.kinds.values() for noun in things]
    one.items = sketch.add_objects('item', one.names(nouns, draw.whole(2, 4)))
    sketch.add_predicate('held', ['item'], draw.pick(['you hold {a}', '{a} is in the hand']))
    sketch.add_predicate('hand-free', [], draw.pick(['the hand is free', 'you hold nothing']))
    sketch.holds('hand-free')
    sketch.wishes.add('held')
    take = draw.pick(['take', 'pick-up', 'grab', 'fetch'])
    put = draw.pick(['put-down', 'drop', 'leave', 'set-down'])
    says_take, says_put = take.replace('-', ' '), put.replace('-', ' ')
    if one.places:
        sketch.add_predicate(
            'item-at', ['item', 'place'], draw.pick(['{a} is at {b}', '{a} lies at {b}'])
        )
        sketch.wishes.add('item-at')
        for item in one.items:
            sketch.holds(f'item-at {item} {one.spot()}')
        kinds = {'o': 'item', 'p': 'place'}
        one.act(take, kinds, ['item-at ?o ?p', 'agent-at ?p', 'hand-free'],
                ['held ?o', 'not item-at ?o ?p', 'not hand-free'], f'{says_take} {{o}} at {{p}}',
                'To take a thing you have to be where it is, with a free hand.')  # fmt: skip
        one.act(put, kinds, ['held ?o', 'agent-at ?p'],
                ['item-at ?o ?p', 'hand-free', 'not held ?o'], f'{says_put} {{o}} at {{p}}',
                'You can put down what you hold where you are.')  # fmt: skip
        return
    sketch.add_predicate('lying', ['item'], draw.pick(['{a} lies there', '{a} is put down']))
    for item in one.items:
        sketch.holds(f'lying {item}')
    one.act(take, {'o': 'item'}, ['lying ?o', 'hand-free'],
            ['held ?o', 'not lying ?o', 'not hand-free'], f'{says_take} {{o}}',
            'To take a thing your hand has to be free.')  # fmt: skip
    one.act(put, {'o': 'item'}, ['held ?o'], ['lying ?o', 'hand-free', 'not held ?o'],
            f'{says_put} {{o}}', 'You can put down what you hold.')  # fmt: skip


def storing(one: Drafting) -> None:
    """Containers that have to be open, and may be locked."""
    draw, sketch = one.draw, one.sketch
    if not one.items:
        carrying(one)
    boxes = sketch.add_objects('box', one.names(one.trade.lists['closable'], draw.whole(1, 2)))
    sketch.add_predicate('open', ['box'], '{a} is open')
    sketch.add_predicate(
        'inside', ['item', 'box'], draw.pick(['{a} is inside {b}', '{a} is in {b}'])
    )
    sketch.wishes |= {'inside', 'open'}
    here, needs = one.here
    if one.places:
        sketch.add_predicate('box-at', ['box', 'place'], '{a} is at {b}')
        for box in boxes:
            sketch.holds(f'box-at {box} {one.spot()}')
        needs = (*needs, 'box-at ?b ?p')
    locks = draw.chance(0.4)
    opens = ('not locked ?b',) if locks else ()
    if locks:
        sketch.add_predicate('locked', ['box'], '{a} is locked')
        sketch.add_predicate(
            'fits', ['item', 'box'], draw.pick(['{a} fits {b}', '{a} unlocks {b}'])
        )
        for box in boxes:
            sketch.holds(f'locked {box}', f'fits {draw.pick(one.items)} {box}')
        one.act('unlock', {'b': 'box', 'o': 'item', **here},
                ['locked ?b', 'fits ?o ?b', 'held ?o', *needs], ['not locked ?b'],
                'unlock {b} with {o}' + _at(here),
                'What fits a box unlocks it while you hold it.')  # fmt: skip
    kinds = {'b': 'box', **here}
    with_hand = ('hand-free',) if draw.chance(0.5) else ()
    one.act('open', kinds, ['not open ?b', *opens, *with_hand, *needs], ['open ?b'],
            'open {b}' + _at(here), 'To open a box you have to be there'
            + (', with a free hand' if with_hand else '')
            + ('; it must not be locked.' if locks else '.'))  # fmt: skip
    one.act('close', kinds, ['open ?b', *needs], ['not open ?b'], 'close {b}' + _at(here),
            'You can close an open box.')  # fmt: skip
    both = {'o': 'item', 'b': 'box', **here}
    one.act('put-in', both, ['held ?o', 'open ?b', *needs],
            ['inside ?o ?b', 'hand-free', 'not held ?o'], 'put {o} into {b}' + _at(here),
            'What you hold can be put into an open box.')  # fmt: skip
    one.act('take-out', both, ['inside ?o ?b', 'open ?b', 'hand-free', *needs],
            ['held ?o', 'not inside ?o ?b', 'not hand-free'], 'take {o} out of {b}' + _at(here),
            'What is in an open box can be taken out with a free hand.')  # fmt: skip


def treating(one: Drafting) -> None:
    """Machines, each of which gives things a state; a later one may need that of an earlier."""
    draw, sketch = one.draw, one.sketch
    if not one.items:
        carrying(one)
    stations = [station for station in one.trade.stations if station.noun.name.isascii()]
    stations = draw.shuffled(stations)[: draw.whole(1, 2)]
    before = ''
    for number, station in enumerate(stations, start=1):
        state, verb = station.state.replace(' ', '-'), station.verb.replace(' ', '-')
        if state in sketch.predicates or any(verb == other.name for other in sketch.actions):
            continue
        kind = f'machine{number}'.translate(_NO_DIGITS)
        machines = sketch.add_objects(kind, one.names([station.noun], 1))
        sketch.add_predicate(state, ['item'], f'{{a}} is {station.state}')
        sketch.wishes.add(state)
        here, needs = one.here
        if one.places:
            sketch.add_predicate(f'{kind}-at', [kind, 'place'], '{a} is at {b}')
            sketch.holds(f'{kind}-at {machines[0]} {one.spot()}')
            needs = (*needs, f'{kind}-at ?m ?p')
        first = (f'{before} ?o',) if before and draw.chance(0.6) else ()
        rule = f'To {station.verb} a thing, hold it at {machines[0].replace("-", " ")}'
        rule += f'; it has to be {before.replace("-", " ")} before.' if first else '.'
        one.act(verb, {'o': 'item', 'm': kind, **here},
                [f'not {state} ?o', 'held ?o', *first, *needs], [f'{state} ?o'],
                f'{station.verb} {{o}} with {{m}}' + _at(here), rule)  # fmt: skip
        before = state


def stacking(one: Drafting) -> None:
    """Things that stand on each other, on few bases."""
    draw, sketch = one.draw, one.sketch
    lists = one.trade.lists
    crates = sketch.add_objects('crate', one.names(lists['open'], draw.whole(3, 5)))
    bases = sketch.add_objects('base', one.names(lists['surfaces'], draw.whole(2, 3)))
    sketch.add_predicate(
        'stands-on', ['crate', 'base'], draw.pick(['{a} stands on {b}', '{a} is on {b}'])
    )
    sketch.add_predicate(
        'upon', ['crate', 'crate'], draw.pick(['{a} stands on {b}', '{a} is on {b}'])
    )
    sketch.add_predicate(
        'top-free', ['crate'], draw.pick(['nothing is on {a}', 'the top of {a} is free'])
    )
    sketch.add_predicate(
        'base-free', ['base'], draw.pick(['{a} is empty', 'nothing stands on {a}'])
    )
    sketch.add_predicate('lifted', ['crate'], draw.pick(['you lift {a}', '{a} is lifted']))
    sketch.add_predicate('lift-free', [], draw.pick(['the lift is free', 'nothing is lifted']))
    sketch.wishes |= {'stands-on', 'upon'}
    sketch.holds('lift-free')
    here, needs = one.here
    if one.places:
        sketch.add_predicate('base-at', ['base', 'place'], '{a} is at {b}')
        needs = (*needs, 'base-at ?b ?p')
        for base in bases:
            sketch.holds(f'base-at {base} {one.spot()}')
        sketch.add_predicate('crate-at', ['crate', 'place'], '{a} is at {b}')
    towers: list[list[str]] = [[] for _ in bases]
    for crate in draw.shuffled(crates):
        draw.pick(towers).append(crate)
    for base, tower in zip(bases, towers, strict=True):
        if not tower:
            sketch.holds(f'base-free {base}')
            continue
        sketch.holds(f'stands-on {tower[0]} {base}', f'top-free {tower[-1]}')
        for under, above in zip(tower, tower[1:], strict=False):
            sketch.holds(f'upon {above} {under}')
        if one.places:
            place = next(fact[2] for fact in sketch.initial if fact[:2] == ('base-at', base))
            sketch.holds(*(f'crate-at {crate} {place}' for crate in tower))
    at, off = (('crate-at ?c ?p',), ('not crate-at ?c ?p',)) if one.places else ((), ())
    upper = ('agent-at ?p', 'crate-at ?d ?p') if one.places else ()
    taken = ('not top-free ?c', 'not lift-free')
    put = ('top-free ?c', 'lift-free', 'not lifted ?c')
    one.act('lift', {'c': 'crate', 'b': 'base', **here},
            ['stands-on ?c ?b', 'top-free ?c', 'lift-free', *needs],
            ['lifted ?c', 'base-free ?b', 'not stands-on ?c ?b', *taken, *off],
            'lift {c} off {b}' + _at(here),
            'What has nothing on it can be lifted, one at a time.')  # fmt: skip
    one.act('place', {'c': 'crate', 'b': 'base', **here}, ['lifted ?c', 'base-free ?b', *needs],
            ['stands-on ?c ?b', 'not base-free ?b', *put, *at],
            'place {c} on {b}' + _at(here),
            'What is lifted can be placed on an empty base')  # fmt: skip
    one.act('unstack-from', {'c': 'crate', 'd': 'crate', **here},
            ['upon ?c ?d', 'top-free ?c', 'lift-free', *upper],
            ['lifted ?c', 'top-free ?d', 'not upon ?c ?d', *taken, *off],
            'take {c} off {d}' + _at(here), '')  # fmt: skip
    one.act('stack-on', {'c': 'crate', 'd': 'crate', **here}, ['lifted ?c', 'top-free ?d', *upper],
            ['upon ?c ?d', 'not top-free ?d', *put, *at],
            'stack {c} on {d}' + _at(here), 'or on one that has nothing on it.')  # fmt: skip


def switching(one: Drafting) -> None:
    """Devices that are switched, some of which need another one to be on."""
    draw, sketch = one.draw, one.sketch
    lists = one.trade.lists
    devices = sketch.add_objects('device', one.names(lists['devices'], draw.whole(2, 4)))
    sketch.add_predicate('running', ['device'], draw.pick(['{a} is on', '{a} is running']))
    sketch.wishes.add('running')
    here, needs = one.here
    if one.places:
        sketch.add_predicate('device-at', ['device', 'place'], '{a} is at {b}')
        for device in devices:
            sketch.holds(f'device-at {device} {one.spot()}')
        needs = (*needs, 'device-at ?d ?p')
    for device in devices:
        if draw.chance(0.3):
            sketch.holds(f'running {device}')
    kinds = {'d': 'device', **here}
    if draw.chance(0.5):
        sketch.add_predicate(
            'feeds', ['device', 'device'], draw.pick(['{a} feeds {b}', '{a} powers {b}'])
        )
        sketch.initial = {fact for fact in sketch.initial if fact[0] != 'running'}
        sketch.add_predicate('independent', ['device'], '{a} needs no other')
        sketch.holds(f'independent {devices[0]}')
        for feeding, fed in zip(devices, devices[1:], strict=False):
            sketch.holds(f'feeds {feeding} {fed}')
        one.act('start', kinds, ['not running ?d', 'independent ?d', *needs], ['running ?d'],
                'start {d}' + _at(here), 'What needs no other can be started')  # fmt: skip
        one.act('start-fed', {'e': 'device', **kinds},
                ['running ?e', 'feeds ?e ?d', 'not running ?d', *needs], ['running ?d'],
                'start {d} from {e}' + _at(here), 'and what is fed by one that runs.')  # fmt: skip
    else:
        verb = draw.pick(['switch-on', 'turn-on', 'start'])
        one.act(verb, kinds, ['not running ?d', *needs], ['running ?d'],
                f'{verb.replace("-", " ")} {{d}}' + _at(here),
                'A device can be switched on where it is.')  # fmt: skip
    verb = draw.pick(['switch-off', 'turn-off', 'stop'])
    one.act(verb, kinds, ['running ?d', *needs], ['not running ?d'],
            f'{verb.replace("-", " ")} {{d}}' + _at(here),
            'It can be switched off again.')  # fmt: skip


def serving(one: Drafting) -> None:
    """Work that uses up what a tool holds, which is filled again somewhere."""
    draw, sketch = one.draw, one.sketch
    nouns = one.trade.lists['equipment']
    works = sketch.add_objects('work', one.names(nouns, draw.whole(2, 3)))
    sketch.add_predicate('full', [], draw.pick(['the tank is full', 'the battery is charged']))
    verb, done = draw.pick(
        [('clean', 'clean'), ('oil', 'oiled'), ('repair', 'repaired'), ('inspect', 'inspected')]
    )
    sketch.add_predicate(f'work-{done}', ['work'], f'{{a}} is {done}')
    sketch.wishes.add(f'work-{done}')
    here, needs = one.here
    dock: tuple[str, ...] = needs
    if one.places:
        sketch.add_predicate('work-at', ['work', 'place'], '{a} is at {b}')
        sketch.add_predicate(
            'refill-at', ['place'], draw.pick(['{a} has a refill', 'there is a dock at {a}'])
        )
        sketch.holds(*(f'work-at {work} {one.spot()}' for work in works), f'refill-at {one.spot()}')
        dock = (*needs, 'refill-at ?p')
        needs = (*needs, 'work-at ?w ?p')
    if draw.chance(0.5):
        sketch.holds('full')
    fill = draw.pick(['refill', 'recharge', 'fill-up'])
    one.act(fill, here, ['not full', *dock], ['full'], fill.replace('-', ' ') + _at(here),
            'What is used up can be refilled'
            + (' where there is a dock or refill.' if here else '.'))  # fmt: skip
    one.act(f'{verb}-work', {'w': 'work', **here}, [f'not work-{done} ?w', 'full', *needs],
            [f'work-{done} ?w', 'not full'], f'{verb} {{w}}' + _at(here),
            f'To {verb} something uses up all of it.')  # fmt: skip


def ordering(one: Drafting) -> None:
    """Jobs that come one after another."""
    draw, sketch = one.draw, one.sketch
    nouns = one.trade.lists['gauges']
    jobs = sketch.add_objects('job', one.names(nouns, draw.whole(3, 5)))
    verb, done = draw.pick(
        [('read', 'read'), ('check', 'checked'), ('test', 'tested'), ('adjust', 'adjusted')]
    )
    sketch.add_predicate(f'job-{done}', ['job'], f'{{a}} is {done}')
    sketch.add_predicate(
        'follows', ['job', 'job'], draw.pick(['{a} comes after {b}', '{a} follows {b}'])
    )
    sketch.add_predicate('begins', ['job'], '{a} comes first')
    sketch.wishes.add(f'job-{done}')
    here, needs = one.here
    if one.places:
        sketch.add_predicate('job-at', ['job', 'place'], '{a} is at {b}')
        sketch.holds(*(f'job-at {job} {one.spot()}' for job in jobs))
        needs = (*needs, 'job-at ?j ?p')
    order = draw.shuffled(jobs)
    sketch.holds(f'begins {order[0]}')
    for earlier, later in zip(order, order[1:], strict=False):
        sketch.holds(f'follows {later} {earlier}')
    one.act(f'{verb}-first', {'j': 'job', **here}, [f'not job-{done} ?j', 'begins ?j', *needs],
            [f'job-{done} ?j'], f'{verb} {{j}}' + _at(here),
            f'You can {verb} what comes first')  # fmt: skip
    one.act(f'{verb}-next', {'j': 'job', 'k': 'job', **here},
            [f'job-{done} ?k', 'follows ?j ?k', f'not job-{done} ?j', *needs], [f'job-{done} ?j'],
            f'{verb} {{j}} after {{k}}' + _at(here), 'and then what comes after it.')  # fmt: skip


def _at(here: dict[str, str]) -> str:
    return ' at {p}' if here else ''
