# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the messages of a skill are filled, and how the robot's answers are read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reactree_interfaces.action import ExecuteSkill
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.plain_text import one_line
from reactree_ros.core.prompt import MOST_OBSERVED
from reactree_ros.errors import SkillError
from reactree_ros.ros.conversions import observation_from_msg, skill_result_from_msg
from reactree_ros.ros.skills.messages import InFrame, fill, plain_data, read
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.executor import ABORTED, aborted, done_text, failed
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.references import Path, filled

_REASONS = ('error_msg', 'error_message', 'error_string', 'message', 'status_message', 'text')
"""Fields in which servers commonly say what was wrong."""


class OwnAnswers:
    """Messages of the project's own action, which brings an observation."""

    def __init__(self, skill: GroundedSkill) -> None:
        self._skill = skill

    def fill(self, message: ExecuteSkill.Goal) -> None:
        """Set the skill and its arguments."""
        message.skill = self._skill.name
        message.arguments = list(self._skill.arguments)

    def succeeded(self, result: ExecuteSkill.Result) -> SkillResult:
        """Read how it ended and what is perceived."""
        try:
            return skill_result_from_msg(result)
        except SkillError as error:
            return self._failed(str(error), result)

    def aborted(self, result: ExecuteSkill.Result) -> SkillResult:
        """Read why it was not done."""
        why = ABORTED
        try:
            found = skill_result_from_msg(result)
        except SkillError as error:
            return self._failed(f'{why}, and {error}', result)
        if found.status is SkillStatus.SUCCEEDED or not found.observation.text:
            return self._failed(why, result)
        return found

    def _failed(self, why: str, result: ExecuteSkill.Result) -> SkillResult:
        seen = observation_from_msg(result.observation)
        found = failed(self._skill, f'{why}: {seen.text}' if seen.text else why)
        return replace(found, observation=replace(seen, text=found.observation.text))

    def doing(self, feedback: ExecuteSkill.Feedback) -> str:
        """Return what the robot says that it is doing."""
        return one_line(feedback.text, MOST_OBSERVED)


class ForeignAnswers:
    """Messages of any type, as the skill library says.

    Args:
        surroundings: what its references are looked up in.
        in_frame: for poses in messages without a header.
    """

    def __init__(self, skill: GroundedSkill, surroundings: Surroundings, in_frame: InFrame) -> None:
        self._skill = skill
        self._call = skill.call
        self._surroundings = surroundings
        self._in_frame = in_frame

    def fill(self, message: Any) -> None:
        """Set what the library says.

        Raises:
            SkillError: if something that it needs is not known.
        """
        fill(message, filled(self._call.fields, self._surroundings), self._in_frame)

    def succeeded(self, result: Any) -> SkillResult:
        """Read by the library's conditions whether it was done."""
        if self._is_refused(result):
            return failed(self._skill, self._why(result), SkillStatus.REFUSED)
        why = self.objection(result)
        if why:
            return failed(self._skill, why)
        said = self._text(self._call.success_text, result) or done_text(self._skill)
        return SkillResult(SkillStatus.SUCCEEDED, Observation(said))

    def objection(self, result: Any) -> str:
        """Return why an answer is not as the library wants it; empty if it is."""
        try:
            for path, allowed in self._call.success_if.items():
                value = plain_data(read(result, path))
                if value not in allowed:
                    return self._why(result) or f'{".".join(path)} is {value}'
        except SkillError as error:
            return str(error)
        return ''

    def aborted(self, result: Any) -> SkillResult:
        """Read why it was not done."""
        if self._is_refused(result):
            return failed(self._skill, self._why(result), SkillStatus.REFUSED)
        why = self._why(result)
        return aborted(self._skill, why)

    def doing(self, feedback: Any) -> str:
        """Return what the library makes of the feedback."""
        return self._text(self._call.feedback_text, feedback) if self._call.feedback_text else ''

    def _is_refused(self, result: Any) -> bool:
        for path, values in self._call.refused_if.items():
            try:
                if plain_data(read(result, path)) in values:
                    return True
            except SkillError:
                continue  # an element that an array does not have refuses nothing
        return False

    def _why(self, result: Any) -> str:
        if self._call.failure_text:
            return self._text(self._call.failure_text, result)
        fields = result.get_fields_and_field_types()
        for name in _REASONS:
            if name in fields and isinstance(getattr(result, name), str) and getattr(result, name):
                return one_line(getattr(result, name), MOST_OBSERVED)
        code = getattr(result, 'error_code', None)
        return f'error code {code}' if isinstance(code, int) and code else ''

    def _text(self, text: str, answer: Any) -> str:
        def look(path: Path) -> Any:
            if path[0] in ('result', 'feedback') and path[0] not in self._surroundings.arguments:
                return read(answer, path[1:])
            return self._surroundings(path)

        try:
            return one_line(str(filled(text, look)), MOST_OBSERVED)
        except SkillError as error:
            return f'{text} ({error})'


Answers = OwnAnswers | ForeignAnswers
"""The messages of one skill."""
