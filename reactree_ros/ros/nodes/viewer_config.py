# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the viewer node."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.option import option
from reactree_ros.core.settings import USER

DEFAULT_PORT = 8765


@dataclass(frozen=True)
class ViewerConfig:
    """All parameters of the viewer node."""

    host: str = option(
        'localhost',
        'Address of the page. Any but localhost lets other machines in, who then need the token '
        'that is logged.',
    )
    port: int = option(DEFAULT_PORT, 'Port of the page. 0: any free one.', minimum=0, maximum=65535)
    runs_dir: str = option(
        USER,
        'Folder of recorded runs that can be opened, or "user" for runs in the user\'s data '
        'folder. Empty: none.',
    )
    camera: str = option(
        '',
        "Topic of the robot's camera (`sensor_msgs/CompressedImage`, JPEG or PNG) whose latest "
        'picture the page shows, such as `head_camera/color/image_raw/compressed`. Empty: none.',
    )
