# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs that once broke a contract, each as small as it could be made, and what they were."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rclpy.serialization import serialize_message

from reactree_interfaces.msg import Behaviour, Tree
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.models.interface import DecisionRequest
from reactree_ros.models.recorded import RecordedModel
from reactree_ros.models.wire import choices_from_json, prompt_from_json
from reactree_ros.ros.cdr import is_whole
from reactree_ros.ros.run_file import RunFile

from .contract import hold
from .made_run import made_recording
from .mcap_files import file_of, records_of
from .runs import seeds as runs
from .targets import target

pytestmark = pytest.mark.ros
