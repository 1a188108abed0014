# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which tokens the grammar of a decision allows next: the one place that calls llguidance.

Asking whether one token is allowed takes a microsecond, the mask of all tokens a tenth of a
millisecond to a whole one in free text. Greedy decoding therefore tries the best token first and
takes the mask only where that one is refused; the token chosen is the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import llguidance
import numpy as np
import numpy.typing as npt

from reactree_ros.core.decision import Choices
from reactree_ros.core.grammars.lark import SLICES, decision_grammar
from reactree_ros.errors import ModelError

TokenIds = npt.NDArray[np.int64]
Mask = npt.NDArray[np.uint32]
_BITS = np.arange(32, dtype=np.uint32)
_PROBES = (('x', 'Q', '7', '%'), (' x', ' Q', ' I', ' and'))
_LIMITS = llguidance.LLParserLimits(verbose_errors=False)


class Vocabulary:
    """The tokens of a model, laid out for the grammar engine; made once, about a second.

    Args:
        tokenizer: a fast tokenizer of the ``tokenizers`` library as JSON, or a path to it;
            ``byte`` takes one token for each byte.
        size: number of logits of the network; None for the number of tokens.
        ends: tokens that end a text; None leaves the grammar engine to guess.

    Raises:
        ModelError: if it is not such a tokenizer.
    """

    def __init__(
        self, tokenizer: str, size: int | None = None, ends: Sequence[int] | None = None
    ) -> None:
        try:
            self._tokens: Any = llguidance.LLTokenizer(
                _without_unicode_form(tokenizer),
                n_vocab=size,
                eos_token=list(ends) if ends else None,
                slices=SLICES,
            )
        except (OSError, ValueError) as error:
            raise ModelError(f'the grammar engine cannot use the tokenizer: {error}') from error
        self._ends = frozenset(ends or ())
        whole = [[self._tokens.greedy_tokenize(text) for text in texts] for texts in _PROBES]
        self._probes = [
            [token for (token,) in tokens] for tokens in whole if all(len(t) == 1 for t in tokens)
        ]

    @property
    def size(self) -> int:
        """Number of tokens."""
        return int(self._tokens.vocab_size)

    def ends(self, token: int) -> bool:
        """Return whether a token ends a text, or is not text."""
        return token in self._ends or bool(self._tokens.is_special_token(token))

    def bytes(self, tokens: Sequence[int]) -> bytes:
        """Return what tokens stand for; characters may begin in one token and end in the next."""
        return bytes(self._tokens.decode_bytes(list(tokens)))

    def text(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, to the byte as the grammar engine read it."""
        return self.bytes(tokens).decode()

    def tokenize(self, text: str) -> list[int]:
        """Return the tokens of a text; words that name a special token stay words."""
        tokens: list[int] = self._tokens.tokenize_str(text)
        if any(map(self._tokens.is_special_token, tokens)):
            tokens = self._tokens.greedy_tokenize(text)
        return tokens

    def constrain(self, choices: Choices) -> Constraint:
        """Return the constraint of one decision.

        Raises:
            ModelError: if the grammar engine refuses the grammar.
        """
        return Constraint(self, choices)

    def begins(self, word: str) -> list[int]:
        """Return the tokens with which a word begins, at the start of a line and after a space."""
        return [self.tokenize(text)[0] for text in (word, f' {word}')]


def _without_unicode_form(tokenizer: str) -> str:
    """Return a tokenizer that leaves composed and decomposed characters as they are.

    The grammar spells a phrase byte by byte, so the engine must not compose an accent of it.
    """
    if tokenizer == 'byte':
        return tokenizer
    written = tokenizer if tokenizer.startswith('{') else Path(tokenizer).read_text('utf-8')
    content = json.loads(written)
    if (content.get('normalizer') or {}).get('type') not in ('NFC', 'NFD', 'NFKC', 'NFKD'):
        return written
    return json.dumps({**content, 'normalizer': None})


class Constraint:
    """What is allowed at each place of one decision line.

    Args:
        vocabulary: the model's tokens.
        choices: what the decision may be.

    Raises:
        ModelError: if the grammar engine refuses the grammar.
    """

    def __init__(self, vocabulary: Vocabulary, choices: Choices) -> None:
        self._vocabulary = vocabulary
        self._tokens = vocabulary._tokens
        self._matcher = llguidance.LLMatcher(
            self._tokens, decision_grammar(choices), log_level=0, limits=_LIMITS
        )
        self._mask = np.zeros((vocabulary.size + 31) // 32, dtype=np.uint32)
        self._check()

    @property
    def finished(self) -> bool:
        """Whether the line is complete."""
        self._check()
        return bool(self._matcher.is_stopped())

    def forced(self) -> list[int]:
        """Return the tokens that must come next, empty if there is a choice.

        A skill may contain the name of a special token, such as ``<eos>``. llguidance would force
        the special token, which it then refuses.
        """
        tokens: list[int] = self._matcher.compute_ff_tokens()
        for index, token in enumerate(tokens):
            if self._tokens.is_special_token(token):
                text = self._matcher.compute_ff_bytes().decode(errors='ignore')
                return tokens[:index] or list(self._tokens.greedy_tokenize(text))
        return tokens

    def take(self, token: int) -> bool:
        """Write a token if it is allowed; return whether it was."""
        return bool(self._matcher.try_consume_tokens([token]))

    def write(self, tokens: Sequence[int]) -> None:
        """Write tokens that are allowed.

        Raises:
            ModelError: if one of them is not.
        """
        self._matcher.consume_tokens(list(tokens))
        self._check()

    def undo(self, count: int) -> None:
        """Take the last tokens back."""
        self._matcher.rollback(count)
        self._check()

    def valid(self, tokens: Sequence[int]) -> int:
        """Return how many of these tokens could be written, from the first on; writes none."""
        return int(self._matcher.validate_tokens(list(tokens)))

    def is_free(self) -> bool:
        """Return whether almost any token may come next, as in a thought.

        Then it pays to try the best token; elsewhere, to ask for ``allowed`` and to compute only
        their scores. It is a guess from a few tokens.
        """
        valid = self._matcher.validate_tokens
        return any(all(valid([token]) for token in probe) for probe in self._vocabulary._probes)

    def mask(self) -> Mask:
        """Return a bit for each token, the first token in the lowest bit of the first word.

        The next call overwrites it.

        Raises:
            ModelError: if the grammar engine fails.
        """
        self._matcher.unsafe_compute_mask_ptr(self._mask.ctypes.data, self._mask.nbytes)
        self._check()
        return self._mask

    def allowed(self) -> TokenIds:
        """Return all tokens that may come next, in order.

        Raises:
            ModelError: if the grammar engine fails, or there is none.
        """
        mask = self.mask()
        words = np.flatnonzero(mask)
        bits = (mask[words, None] >> _BITS & 1).astype(bool)
        tokens: TokenIds = (words[:, None] * 32 + np.arange(32))[bits]
        if not tokens.size:
            raise ModelError('the grammar engine allows no token')
        return tokens

    def _check(self) -> None:
        if self._matcher.is_error():
            reason = self._matcher.get_error().partition('\n')[0]
            raise ModelError(f'the grammar engine failed: {reason}')
