# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planner's options become: prompts, experiences, settings, strategies."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.option import parameters_of, values_of
from reactree_ros.core.settings import FEW_SHOT_TOKENS, Settings
from reactree_ros.core.vote import VotePolicy
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.experience import Experience, Origin, Termination
from reactree_ros.memory.goal_key import describe
from reactree_ros.memory.store import NewExperience
from reactree_ros.models.local.embedded import DEFAULT_MODEL, GENERALIST
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner import options
from reactree_ros.planner.assembly import assemble, for_team, system_prompt
from reactree_ros.planner.memory_setup import experience_source, open_memory
from reactree_ros.planner.options import PlannerOptions, planner_options
from reactree_ros.planner.presets import PAPER_VALUES
from reactree_ros.planner.run import GoalRun
from reactree_ros.skills.simulated import WorldExecutor
from reactree_ros.strategies.registry import strategy_names

from ..options import full_names

DONE = 'Act: done'
FEW_SHOT: dict[str, Any] = {'skills': 'household', 'model.name': 'gemma-3-270m'}
"""Options with a model that reads experiences, none of which is loaded."""
SCRIPT = {'open the fridge': ['Act: go to fridge 1', 'Act: open fridge 1', DONE]}


class Scripted:
    """Whatever is not asked of it in these tests fails."""

    def __init__(self, encoder: Any) -> None:
        self.embed, self.count = encoder.embed, encoder.count
        self.encoder_name = encoder.encoder_name


def made(world: Any, encoder: Any, **given: Any) -> Any:
    model: Any = Scripted(encoder)
    return assemble(planner_options({**FEW_SHOT, **full_names(given)}), model, WorldExecutor(world))


def test_the_defaults_are_those_of_the_dataclasses() -> None:
    made = planner_options({'model.name': 'gemma-3-270m'})
    assert replace(made, model=ModelOptions()) == PlannerOptions()
    scripted = planner_options({'model.name': 'scripted:a.yaml'}).agent
    assert not (scripted.read_conditions or scripted.explain_endings), 'it says what is written'
    names = {row.name for row in parameters_of(PlannerOptions)}
    assert {row.name for row in parameters_of(Settings)} < names


def test_a_model_that_was_trained_without_examples_gets_none_unless_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def budget(given: dict[str, Any]) -> int:
        return planner_options(given).resolved.memory.example_tokens

    wants = {'few': True, 'trained': False}
    monkeypatch.setattr(options, 'wants_examples', wants.__getitem__)
    assert [budget({'model.name': model}) for model in wants] == [FEW_SHOT_TOKENS, 0]
    assert budget({'model.name': 'trained', 'memory.example_tokens': 300}) == 300
    assert budget({'model.name': 'few', 'memory.example_tokens': 0}) == 0
    assert budget({'model.name': 'trained', 'memory.experiences': 'mine.txt'}) == FEW_SHOT_TOKENS


def test_what_a_model_was_trained_with_becomes_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    cards = {'trained': {'prompt.facts': ['held'], 'agent.max_repetitions': 0}, 'other': {}}
    monkeypatch.setattr(options, 'trained_options', cards.__getitem__)

    def found(**given: Any) -> tuple[Any, ...]:
        made = planner_options({'model.name': 'trained', **full_names(given)})
        return made.prompt.facts, made.agent.max_repetitions

    assert found() == (('held',), 0)
    assert found(facts=('auto',)) == (('held',), 0)
    assert found(facts=('none',), max_repetitions=5) == (('none',), 5)
    assert found(model__name='other') == (('auto',), 3)
    cards['other'] = {'agent.colour': 'red'}
    with pytest.raises(ConfigurationError, match=r'card of the model other sets agent\.colour'):
        found(model__name='other')


def test_the_papers_preset_names_options_and_sets_those_that_are_not_set() -> None:
    table = {row.name: row for row in parameters_of(PlannerOptions)}
    assert [table[name].check(value) for name, value in PAPER_VALUES.items() if value] == [
        ''
    ] * sum(map(bool, PAPER_VALUES.values()))
    values = values_of(planner_options({'preset': 'paper', 'memory.recall': False}))
    assert values == {**values, **PAPER_VALUES, 'memory.recall': False}
    assert values_of(planner_options({}))['memory.level_bonus'] > 0


def test_the_papers_preset_stands_above_what_a_model_was_trained_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(options, 'trained_options', lambda _: {'prompt.facts': ['held']})
    assert planner_options({'preset': 'paper'}).prompt.facts == ('none',)
    given = {'preset': 'paper', 'prompt.facts': ('in_reach',)}
    assert planner_options(given).prompt.facts == ('in_reach',)


def test_the_differences_from_the_paper_name_the_presets_values() -> None:
    page = Path('docs/differences.md').read_text(encoding='utf-8')
    told = {
        name: row.rpartition(' | ')[2].strip(' |')
        for row in page.splitlines()
        for name in re.findall(r'`((?:\w+\.)+\w+)`', row.rpartition(' | ')[0])
    }
    defaults = values_of(PlannerOptions())
    changed = [name for name, value in PAPER_VALUES.items() if value != defaults[name]]
    assert [name for name in changed if name not in told] == []
    for name in changed:
        value = PAPER_VALUES[name]
        words = value[0] if isinstance(value, tuple) else json.dumps(value).removesuffix('.0')
        assert f'`{words}`' in told[name], f'{name}: {told[name]}'


def test_without_a_model_it_is_the_one_for_the_robots_skills(tmp_path: Path) -> None:
    def chosen(skills: str, model: str = '') -> str:
        return planner_options({'skills': skills, 'model.name': model}).model.name

    own = tmp_path / 'own.yaml'
    own.write_text(Path('behaviors/household.yaml').read_text(encoding='utf-8'), encoding='utf-8')
    assert chosen('household') == chosen(str(own)) == planner_options({}).model.name
    assert chosen('household') == DEFAULT_MODEL
    assert chosen('office_base') == GENERALIST
    assert chosen('office_base', 'gemma-3-270m') == 'gemma-3-270m'
    assert chosen('no_such_robot') == DEFAULT_MODEL, 'reported when the robot is made'


def test_a_damaged_card_is_told_when_the_model_is_started(tmp_path: Path) -> None:
    for name in ('adapter_config.json', 'adapter_model.safetensors', 'card.json'):
        (tmp_path / name).write_text('{', encoding='utf-8')
    planner_options({'model.name': str(tmp_path)})


def test_all_faults_of_the_options_are_told_at_once() -> None:
    with pytest.raises(ConfigurationError, match=r'seeed.*did you mean seed.*samples is 0'):
        planner_options({'seeed': 1, 'strategies.tree_planner.samples': 0})


def test_every_option_is_taken_by_its_full_name() -> None:
    given: dict[str, Any] = {
        'agent.control_flows': ('sequence',),
        'agent.vote_policy': 'any',
        'seed': 7,
        'strategies.tree_planner.samples': 3,
        'strategies.tree_planner.temperature': 0.5,
    }
    made = planner_options(given)
    assert made.agent.control_flows == (ControlFlow.SEQUENCE,)
    assert made.agent.vote_policy is VotePolicy.ANY
    assert (made.options_of('tree_planner').samples, made.options_of('react')) == (3, None)
    assert {name: values_of(made)[name] for name in given} == given


def test_robots_with_different_skills_are_told_of_each_other(household: Any, world: Any) -> None:
    walk = tuple(one for one in household.skills if one.name == 'go_to')
    base = replace(household, name='base', agent='a base without an arm', skills=walk)
    model: Any = ScriptedModel({})

    def services(library: Any, strategy: str = 'reactree') -> RunServices:
        options = planner_options({'skills': 'household'})
        return assemble(options, model, WorldExecutor(world), name=strategy, library=library)

    alone = services(household)
    same = for_team({'anna': alone, 'bert': alone})
    assert same.system_prompt == alone.system_prompt
    assert not same.skills_of
    team = for_team({'anna': alone, 'bert': services(base)})
    assert team.system_prompt.startswith(alone.system_prompt)
    told = team.system_prompt.removeprefix(alone.system_prompt)
    assert told.startswith('You are anna, one of several robots:')
    assert 'bert, a base without an arm: go to.' in told
    assert 'such as "bert: ..."' in told
    of_bert = team.of_robot('bert')
    assert of_bert.library is base
    assert 'You are bert' in of_bert.system_prompt
    assert 'such as "anna: ..."' in of_bert.system_prompt
    assert of_bert.of_robot('anna').system_prompt == team.system_prompt
    flat = for_team({'anna': services(household, 'react'), 'bert': services(base, 'react')})
    assert 'robots' not in flat.system_prompt
    with pytest.raises(ConfigurationError, match='the same name: household'):
        for_team({'anna': alone, 'bert': services(replace(base, name='household'))})


def test_without_a_skill_library_it_says_what_to_set(word_encoder: Any, world: Any) -> None:
    with pytest.raises(ConfigurationError, match='parameter skills is not set: .*docs/skills.md'):
        assemble(planner_options({}), word_encoder('open'), WorldExecutor(world))


@pytest.mark.parametrize(('skills', 'names'), [('office_base', True), ('household', False)])
def test_a_prompt_lists_the_words_of_conditions(skills: str, names: bool) -> None:
    text = system_prompt(planner_options({'skills': skills, 'prompt.predicates': True}), 'reactree')
    line = next(line for line in text.splitlines() if line.startswith('Conditions: '))
    assert 'in these words: ' in line
    assert '; robot at {place}; ' in line
    assert (' Things: ' in line, ' Places: ' in line) == (names, names)
    for read in ({'prompt.predicates': False}, {'agent.read_conditions': False}):
        given = {'skills': skills, 'prompt.predicates': True, **read}
        assert 'in these words' not in system_prompt(planner_options(given), 'reactree')


def test_the_prompt_tells_only_of_what_is_on_offer() -> None:
    whole = system_prompt(planner_options({'skills': 'household'}), 'reactree')
    assert '(go to, pick up, put down, ' in whole
    assert 'recall location of' in whole
    assert 'sequence (one after another, all must succeed), fallback (' in whole
    bare = planner_options(
        {'skills': 'household', 'memory.recall': False, 'agent.control_flows': ('sequence',)}
    )
    less = system_prompt(bare, 'reactree')
    assert 'recall' not in less
    assert 'fallback' not in less
    assert 'Expand: ' not in system_prompt(bare, 'react')
    assert '{' not in ''.join(system_prompt(bare, name) for name in strategy_names())


def examples(services: Any, goal: str = 'put the plum on the table') -> list[str]:
    pending = services.experiences.retrieve(goal, True, 100_000)
    while (found := pending.poll()) is None:
        pass  # the store is searched on another thread
    return list(found)


def test_examples_fit_the_strategy_and_what_is_on_offer(world: Any, word_encoder: Any) -> None:
    encoder = word_encoder('put thing place on in')
    given: dict[str, Any] = {'memory.similarity_margin': 10.0}
    assert any('Expand: parallel' in text for text in examples(made(world, encoder, **given)))
    ablated = made(world, encoder, control_flows=('sequence', 'fallback'), **given)
    assert not any('arallel' in text for text in examples(ablated))
    searches = examples(ablated, 'find and pick up the plum')
    assert any('Expand: fallback' in text for text in searches)
    bare = examples(made(world, encoder, memory__recall=False, **given))
    assert not any('recall' in text for text in bare)
    flat = examples(made(world, encoder, strategy='react', **given))
    assert not any('Expand: ' in text or 'Subgoals' in text for text in flat)
    plans = examples(made(world, encoder, strategy='zsp', **given))
    assert all(text.endswith('\ndone\n') for text in plans)


def test_without_episodic_memory_every_goal_has_the_same_example(
    world: Any, word_encoder: Any
) -> None:
    encoder = word_encoder('put')
    fixed = made(world, encoder, memory__episodic=False, seed=1)
    assert examples(fixed) == examples(fixed, 'slice the potato')
    assert sum(text.startswith('Goal: ') for text in examples(fixed)) == 1
    assert not encoder.embedded
    assert examples(fixed) != examples(made(world, encoder, memory__episodic=False, seed=2))


def test_the_users_experiences_are_for_the_options_own_strategy(
    world: Any, word_encoder: Any, tmp_path: Path
) -> None:
    mine = tmp_path / 'mine.txt'
    mine.write_text('Goal: put the plum on the table\nIt is dark.\nAct: done\n')
    encoder = word_encoder('put thing')
    given: dict[str, Any] = {'experiences': str(mine), 'strategy': 'react'}
    chosen, model = planner_options({**FEW_SHOT, **full_names(given)}), Scripted(encoder)
    robot = WorldExecutor(world)
    own: Any = assemble(chosen, model, robot)  # type: ignore[arg-type]
    other: Any = assemble(chosen, model, robot, name='reactree')  # type: ignore[arg-type]
    assert examples(own) == [mine.read_text()]
    assert mine.read_text() not in examples(other)


def test_an_unknown_strategy_is_named(world: Any, word_encoder: Any) -> None:
    with pytest.raises(ConfigurationError, match='strategy is .*react, reactree, .*zsp'):
        made(world, word_encoder('put'), strategy='guess')


def test_react_cannot_expand(household: Any, world: Any, plain: Any) -> None:
    for name, offered in (('reactree', True), ('react', False)):
        model = ScriptedModel(SCRIPT)
        robot = WorldExecutor(world)
        services = RunServices(model, robot, household, None, '', plain(), strategy=name)
        run = GoalRun('open the fridge', services, Limits(), namespace=name)
        while not run.finished:
            run.tick()
        run.close()
        assert [bool(one.choices.control_flows) for one in model.requests] == [offered] * 3
        assert run.report().status == 'succeeded'
        world.execute('close', ('fridge 1',))
        world.execute('go_to', ('kitchen 1',))


# Memory -------------------------------------------------------------------------------------------


def test_what_was_learned_and_shipped_is_retrieved_beside_what_was_written(
    word_encoder: Any, household: Any, tmp_path: Path
) -> None:
    goal = 'put the plum on the table'
    files = {name: tmp_path / f'{name}.txt' for name in ('tree', 'flat', 'plans')}
    for name, path in files.items():
        path.write_text(f'Goal: {goal}\n{name}\nAct: done\n')
    files['learned'] = tmp_path / 'learned.jsonl.gz'
    with gzip.open(files['learned'], 'wt') as file:
        for strategy, skills in itertools.product(('reactree', 'react'), ('household', 'crane')):
            text = f'Goal: {goal}\nlearned with {strategy}\nAct: failure\n'
            if skills != 'household':
                text = text.replace('learned', f'{skills} learned')
            values = {'text': text, 'strategy': strategy, 'skills': skills, 'verified': 'world'}
            file.write(json.dumps({**values, 'run': f'{strategy} {skills}'}) + '\n')
    library = replace(household, examples=files)
    encoder = word_encoder('put thing place on')
    model: Any = Scripted(encoder)
    for name, expected in (
        ('reactree', {'tree', 'learned with reactree'}),
        ('react', {'flat', 'learned with react'}),
        ('zsp', {'plans'}),
    ):
        source = experience_source(planner_options(FEW_SHOT), name, model, library)
        holder = SimpleNamespace(experiences=source)
        assert {text.splitlines()[1] for text in examples(holder, goal)} == expected


def test_a_memory_is_made_where_the_user_s_data_lie(
    word_encoder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path))
    encoder: Any = word_encoder('put')
    store = open_memory(planner_options({}), encoder)
    assert store is not None
    assert store.address == str(tmp_path / 'reactree_ros' / 'memory.sqlite')
    assert store.stats().records == 0
    store.close()
    assert open_memory(planner_options({'memory.store': ''}), encoder) is None


def test_a_memory_has_no_more_experiences_than_the_parameter_says(
    word_encoder: Any, tmp_path: Path
) -> None:
    encoder: Any = word_encoder('put')
    given = {'memory.store': str(tmp_path / 'memory.sqlite'), 'memory.max_experiences': 1}
    store = open_memory(planner_options(given), encoder)
    assert store is not None
    vector = np.array([1.0, 0.0], np.float32)
    new = [
        NewExperience(Experience(goal, f'Goal: {goal}\n', Termination.SUCCESS, True), goal, vector)
        for goal in ('one', 'two')
    ]
    assert store.add_run(Origin('run'), new).forgotten == 1
    store.close()
    assert open_memory(planner_options({'model.name': 'scripted:x.yaml'}), encoder) is None


def test_a_memory_may_be_on_a_server(word_encoder: Any, database: str, postgres: Any) -> None:
    encoder: Any = word_encoder('put')
    # A limit of this planner's would be one for all.
    given = {'memory.store': database, 'memory.max_experiences': 1}
    store = open_memory(planner_options(given), encoder)
    assert store is not None
    experiences = [
        Experience(goal, f'Goal: {goal}\nAct: done\n', Termination.SUCCESS, True)
        for goal in ('put', 'take')
    ]
    vectors = encoder.embed(('put', 'take')).poll()
    pairs = zip(experiences, vectors, strict=True)
    assert store.add_run(Origin('run'), [describe(*pair) for pair in pairs]).forgotten == 0
    store.close()
    wrong = database.replace(postgres.password, 'wrong-word')
    with pytest.raises(
        ConfigurationError, match="memory.store is 'postgresql://pos.*pass"
    ) as error:
        open_memory(planner_options({'memory.store': wrong}), encoder)
    assert 'wrong-word' not in str(error.value)


def test_a_memory_of_another_encoder_is_refused_with_what_to_do(
    word_encoder: Any, tmp_path: Path
) -> None:
    path = tmp_path / 'memory.sqlite'
    one: Any = word_encoder('put')
    other: Any = word_encoder('take')
    store = open_memory(planner_options({'memory.store': str(path)}), one)
    assert store is not None
    experience = Experience('put', 'Goal: put\nAct: done\n', Termination.SUCCESS, True)
    (vector,) = one.embed(('put',)).poll()
    store.add_run(Origin('run'), [describe(experience, vector)])
    store.close()
    with pytest.raises(ConfigurationError, match=r'memory.store is .*reactree memory re-embed'):
        open_memory(planner_options({'memory.store': str(path)}), other)
