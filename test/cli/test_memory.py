# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What was learned can be seen, corrected, deleted and exchanged from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.cli import main
from reactree_ros.memory.experience import read_experiences
from reactree_ros.models.local import encoder
from reactree_ros.paths import share

SHIPPED = share('resource', 'experiences', 'household.txt')

pytestmark = pytest.mark.usefixtures('store')


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run ``reactree memory …``, which ends with 2, and return what it says."""

    def run(*arguments: str) -> str:
        assert main.run(['memory', *arguments]) == 2
        return capsys.readouterr().err

    return run


def text_of(goal: str) -> str:
    return f'Goal: {goal}\nYou are in the hall.\nAct: done\n'


def write(path: Path, *goals: str) -> str:
    path.write_text('---\n'.join(map(text_of, goals)), encoding='utf-8')
    return str(path)


def test_the_shipped_experiences_come_back_from_the_users_store(
    say: Callable[..., Any], tmp_path: Path
) -> None:
    shipped = read_experiences(SHIPPED)
    done = say('import', str(SHIPPED), '--verified', 'person', '--model', 'hand')
    assert done['memory'] == str(tmp_path / 'data' / 'reactree_ros' / 'memory.sqlite')
    assert done['added'] + done['merged'] == len(shipped)
    stats = say('stats')
    assert stats['records'] == done['records'] == done['added']
    assert (stats['encoder'], stats['dimension']) == ('all-MiniLM-L6-v2', 64)
    assert stats['counts']['model'] == {'hand': stats['records']}
    assert stats['counts']['verified'] == {'person': stats['records']}
    listed = say('list', '--limit', '0')
    assert {one['goal'] for one in listed} == {one.goal for one in shipped}
    assert say('list', '--limit', '3') == listed[-3:]
    runs = say('list', '--runs', '--limit', '0')
    assert sum(run['experiences'] for run in runs) == len(listed)
    shown = say('show', str(listed[0]['number']))
    assert shown[0]['text'] in {one.text for one in shipped}
    assert {**shown[0], 'text': None, 'outline': None} == {
        **listed[0],
        'text': None,
        'outline': None,
    }


def test_importing_again_changes_nothing(say: Callable[..., Any]) -> None:
    first = say('import', str(SHIPPED))
    again = say('import', str(SHIPPED))
    assert again['records'] == first['records'] == first['added']


@pytest.mark.parametrize('ending', ['jsonl', 'jsonl.gz'])
def test_what_is_exported_comes_back(say: Callable[..., Any], tmp_path: Path, ending: str) -> None:
    say('import', str(SHIPPED), '--verified', 'world', '--task', 'wah_train 3')
    file = str(tmp_path / f'all.{ending}')
    other = str(tmp_path / 'other.sqlite')
    written = say('export', file)
    done = say('import', file, '--memory', other)
    assert done['added'] == written['experiences'] == say('stats')['records']

    def known(*where: str) -> list[dict[str, Any]]:
        # Runs are written one after the other, so that merged ones may get other numbers.
        return sorted(
            ({**one, 'number': 0, 'merged': 1} for one in say('list', '--limit', '0', *where)),
            key=lambda one: (one['run'], one['goal'], one['termination'], one['control_flows']),
        )

    assert known('--memory', other) == known()


def test_text_is_exported_as_it_is_shipped(say: Callable[..., Any], tmp_path: Path) -> None:
    say('import', write(tmp_path / 'mine.txt', 'wave', 'bow'))
    assert say('export', str(tmp_path / 'out.txt'), '--goal', 'BOW')['experiences'] == 1
    assert (tmp_path / 'out.txt').read_text() == text_of('bow')


def test_the_most_similar_goal_comes_first(say: Callable[..., Any], tmp_path: Path) -> None:
    say('import', write(tmp_path / 'a.txt', 'put the apple in the fridge', 'wave at the door'))
    say('import', write(tmp_path / 'b.txt', 'wave twice at the door'), '--verified', 'world')
    found = say('search', 'Wave  at the door!')
    assert [one['goal'] for one in found] == [
        'wave at the door', 'wave twice at the door', 'put the apple in the fridge',
    ]  # fmt: skip
    assert found[0]['score'] == 1.0
    assert len(say('search', 'wave', '--limit', '1')) == 1
    assert say('search', 'wave', '--strategy', 'react') == []


def test_a_goal_that_was_embedded_before_needs_no_model(
    say: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave', 'bow'))
    monkeypatch.setattr(encoder, 'load_encoder', lambda _: pytest.fail('it was loaded'))
    assert say('search', 'Wave!')[0]['goal'] == 'wave'


def test_experiences_are_chosen_by_what_is_known_of_them(
    say: Callable[..., Any], tmp_path: Path
) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave'), '--strategy', 'react', '--task', 't 1')
    say('import', write(tmp_path / 'b.txt', 'bow'), '--verified', 'world')
    run = say('list', '--goal', 'bow')[0]['run']
    for choice, goal in (
        (('--strategy', 'react'), 'wave'),
        (('--task', 't 1'), 'wave'),
        (('--verified', 'world', '--verified', 'person'), 'bow'),
        (('--run', run), 'bow'),
    ):
        assert [one['goal'] for one in say('list', *choice)] == [goal]
        assert [one['goal'] for one in say('list', '--runs', *choice)] == [goal]


def test_a_person_verifies_a_run_and_takes_it_back(
    say: Callable[..., Any], fails: Callable[..., str], tmp_path: Path
) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave'))
    (run,) = say('list', '--runs')
    assert run['verified'] == 'reported'
    assert say('verify', run['run'])['experiences'] == 1
    assert say('list')[0]['verified'] == 'person'
    say('verify', run['run'], '--by', 'reported')
    assert say('list')[0]['verified'] == 'reported'
    assert "there is no run 'nobody'" in fails('verify', 'nobody')


def test_nothing_is_forgotten_unasked(
    say: Callable[..., Any],
    fails: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave', 'wave twice', 'bow'))
    assert 'choose what to forget' in fails('forget')
    assert 'omit the other conditions' in fails('forget', '1', '--all', '--yes')
    assert '2 experiences would be deleted permanently' in fails('forget', '--goal', 'wave')
    assert '1 experience would be deleted' in fails('forget', '3')
    monkeypatch.setattr(sys.stdin, 'isatty', lambda: True, raising=False)
    for answer, left in (('n', 3), ('', 3), ('y', 1)):
        monkeypatch.setattr(
            sys.stdin, 'readline', lambda answer=answer: f'{answer}\n', raising=False
        )
        code = main.run(['memory', 'forget', '--goal', 'wave'])
        assert code == (0 if answer == 'y' else 1)
        said = capsys.readouterr().err
        assert 'wave twice' in said.partition('Delete 2 experiences of ')[0]
        assert ('nothing was deleted' in said) == (answer != 'y')
        assert say('stats')['records'] == left
    assert say('forget', '--goal', 'wave', '--yes')['forgotten'] == 0
    assert say('forget', '--all', '--yes')['forgotten'] == 1
    assert say('list') == []


def test_another_encoder_is_refused_until_all_is_embedded_anew(
    say: Callable[..., Any], fails: Callable[..., str], tmp_path: Path
) -> None:
    file = str(tmp_path / 'memory.sqlite')
    source = write(tmp_path / 'a.txt', 'wave', 'bow')
    say('import', source, '--memory', file, '--encoder', 'somebody/words')
    for call in (('search', 'wave'), ('import', source)):
        said = fails(*call, '--memory', file)
        assert 'somebody/words' in said
        assert f'"reactree memory re-embed --memory {file}"' in said
    assert say('re-embed', '--memory', file) == {
        'memory': file, 'encoder': 'all-MiniLM-L6-v2', 'embedded': 2, 'records': 2,
    }  # fmt: skip
    assert say('search', 'wave', '--memory', file)[0]['goal'] == 'wave'


def test_what_is_wrong_is_said(fails: Callable[..., str], tmp_path: Path) -> None:
    missing = 'there is no experience store'
    assert missing in fails('list')
    assert missing in fails('search', 'wave', '--memory', str(tmp_path / 'none.sqlite'))
    assert missing in fails('re-embed', '--memory', str(tmp_path / 'none.sqlite'))
    assert not (tmp_path / 'none.sqlite').exists()
    assert 'no ending that names its form' in fails('import', 'a.csv')
    assert 'cannot read the experiences' in fails('import', str(tmp_path / 'none.jsonl'))
    broken = tmp_path / 'broken.txt'
    broken.write_text('Goal: wave\nAct: go to hall\n')
    assert 'broken.txt, line 1' in fails('import', str(broken))
    assert '--memory is empty' in fails('list', '--memory', '')
    assert 'cannot do without an experience store' in fails('list', '--memory', 'none')
    assert "there is no sentence encoder '/nope'" in fails(
        'import', str(broken), '--encoder', '/nope'
    )
    assert "there is no sentence encoder '/nope'" in fails('re-embed', '--encoder', '/nope')
    other = tmp_path / 'other.sqlite'
    other.write_text('no database, but long enough to be looked at as one')
    assert 'not an experience store' in fails('list', '--memory', str(other))


def test_a_missing_number_is_named(
    say: Callable[..., Any], fails: Callable[..., str], tmp_path: Path
) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave'))
    assert 'there is no experience 7, 8' in fails('show', '8', '1', '7')
    assert 'there is no experience 9' in fails('forget', '1', '9', '--yes')
    assert say('stats')['records'] == 1, 'nothing is deleted then'


def test_it_says_when_nothing_matches(
    say: Callable[..., Any],
    fails: Callable[..., str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave'))
    for arguments in (
        ('list', '--run', 'typo'),
        ('list', '--runs', '--goal', 'typo'),
        ('search', 'wave', '--strategy', 'typo'),
        ('forget', '--goal', 'typo'),
    ):
        assert main.run(['memory', *arguments]) == 0
        said = capsys.readouterr().err
        assert 'nothing matches; ' in said and 'memory.sqlite holds 1 experience\n' in said
    assert "there is no run 'typo'" in fails('forget', '--run', 'typo', '--yes')
    out = tmp_path / 'out.jsonl'
    assert 'nothing matches; ' in fails('export', str(out), '--run', 'typo')
    assert not out.exists()
    say('forget', '--all', '--yes')
    assert 'holds no experiences yet' in fails('export', str(out))
    assert main.run(['memory', 'search', 'wave']) == 0
    assert 'holds no experiences yet' in capsys.readouterr().err


def test_a_missing_folder_is_named(
    say: Callable[..., Any], fails: Callable[..., str], tmp_path: Path
) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave'))
    out = tmp_path / 'nowhere' / 'all.jsonl'
    assert fails('export', str(out)).endswith(f'there is no folder {out.parent}\n')


def test_json_has_all_unless_told_otherwise(
    say: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    say('import', write(tmp_path / 'a.txt', *(f'wave {number} times' for number in range(60))))
    assert len(say('list')) == 60
    assert len(say('list', '--runs')) == 60
    assert main.run(['memory', 'list', '--limit', '7', '--json']) == 0
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)) == 7
    assert 'the latest 7 of 60 experiences' in printed.err
    assert main.run(['memory', 'list']) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 50


def test_what_was_compared_is_said(
    say: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave'))
    assert main.run(['memory', 'search', 'Put the apple in the fridge!']) == 0
    assert 'compared as: put the apple in the fridge\n' in capsys.readouterr().err


def test_what_text_alone_does_not_say_is_said(
    say: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write(tmp_path / 'a.txt', 'wave')
    assert main.run(['memory', 'import', source]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith('1 run: 1 new experience, 0 merged, 0 already there; ')
    assert 'taken for runs of reactree (--strategy)' in printed.err
    assert main.run(['memory', 'import', source, '--strategy', 'react']) == 0
    assert 'taken for' not in capsys.readouterr().err
    assert main.run(['memory', 'export', str(tmp_path / 'out.txt')]) == 0
    assert '*.jsonl keeps all' in capsys.readouterr().err
    assert main.run(['memory', 'export', str(tmp_path / 'out.jsonl')]) == 0
    assert capsys.readouterr().err == ''


def test_an_interrupted_question_deletes_nothing(say: Callable[..., Any], tmp_path: Path) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave'))
    keyboard, terminal = os.openpty()
    process = subprocess.Popen(
        [sys.executable, '-m', 'reactree_ros.cli.main', 'memory', 'forget', '--all'],
        stdin=terminal, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, bufsize=1,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        said = ''
        while not said.endswith('[y/N] '):
            letter = process.stderr.read(1)
            assert letter, said
            said += letter
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait() == 130
    finally:
        process.kill()
        process.wait()
        os.close(keyboard)
        os.close(terminal)
    assert 'interrupted; nothing was deleted' in rest and 'Traceback' not in rest
    assert say('stats')['records'] == 1


def test_help_fits_a_terminal_of_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv('COLUMNS', '80')
    with pytest.raises(SystemExit):
        main.run(['memory', '--help'])
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize('columns', [80, 120])
def test_runs_can_be_read_on_a_terminal(
    say: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    columns: int,
) -> None:
    goal = 'Robot, fetch a coffee pot, a bottle of juice and a pudding for the guests'
    say('import', write(tmp_path / 'twenty_letters_or_so.txt', goal), '--task', 'wah_train 17')
    run = say('list')[0]['run']
    monkeypatch.setenv('COLUMNS', f'{columns}')
    for arguments in (('list', '--runs'), ('list',), ('search', 'fetch')):
        assert main.run(['memory', *arguments]) == 0
        shown = capsys.readouterr().out
        assert max(map(len, shown.splitlines())) <= columns
        assert goal[:35] in shown
        assert '--runs' not in arguments or run in shown


def test_the_tables_can_be_read(
    say: Callable[..., Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave [slowly]', 'bow'), '--verified', 'world')
    for arguments, words in (
        (('list',), ('verified', 'world', 'success', 'wave [slowly]')),
        (('list', '--runs'), ('experiences', 'a-', 'wave [slowly]')),
        (('search', 'wave [slowly]'), ('score', '1.000', 'wave [slowly]')),
        (('show', '1'), ('compared as', 'You are in the hall.', 'Act: done')),
        (('stats',), ('2 of 2 runs', 'all-MiniLM-L6-v2', 'success 2')),
    ):
        assert main.run(['memory', *arguments]) == 0
        shown = capsys.readouterr().out
        assert [word for word in words if word not in shown] == []
    assert main.run(['memory', 'list', '--limit', '1']) == 0
    assert 'the latest 1 of 2 experiences' in capsys.readouterr().err


def test_only_what_embeds_loads_an_encoder(tmp_path: Path, say: Callable[..., Any]) -> None:
    say('import', write(tmp_path / 'a.txt', 'wave'))
    program = (
        'import sys; from reactree_ros.cli import main; '
        'assert main.run(["memory", "list"]) == main.run(["memory", "stats"]) == 0; '
        'assert "torch" not in sys.modules and "sentence_transformers" not in sys.modules'
    )
    done = subprocess.run(
        [sys.executable, '-c', program],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, 'XDG_DATA_HOME': str(tmp_path / 'data')},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
