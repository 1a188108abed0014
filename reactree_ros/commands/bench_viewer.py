# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree bench-viewer``: how long the web viewer takes to draw trees that grow."""

from __future__ import annotations

import argparse

from rich import box
from rich.console import Console
from rich.table import Table

from reactree_ros.commands.machine import machine
from reactree_ros.exceptions import ConfigurationError


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-viewer',
        help='measure how long the web viewer takes to draw',
        description='Opens the viewer in a headless browser, shows it a tree that grows, and '
        'measures the updates in the browser, beside the functions that the tree library has for '
        'it. Needs Playwright (requirements/browser.txt) and Chromium or Chrome.',
    )
    parser.add_argument(
        '--sizes', default='100,250,500', help='behaviours of the trees (default: 100,250,500)'
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure and print a table.

    Raises:
        ConfigurationError: if there is no browser, or a size is none.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise ConfigurationError('pip install -r requirements/browser.txt') from error
    from reactree_ros.evaluation.viewer_speed import (
        BROWSER_OPTIONS,
        BROWSERS,
        browser_program,
        drawing_speed,
    )
    from reactree_ros.viewer.desk import NoDesk
    from reactree_ros.viewer.gallery import Gallery
    from reactree_ros.viewer.server import ViewerServer

    sizes = [int(word) for word in options.sizes.split(',') if word.isdecimal()]
    if not sizes or min(sizes) <= 20:
        raise ConfigurationError(f'--sizes {options.sizes}: whole numbers above 20, with commas')
    program = browser_program()
    if program is None:
        raise ConfigurationError(f'there is no browser: none of {", ".join(BROWSERS)}')
    table = Table(box=box.SIMPLE_HEAD)
    for name in ('behaviours', 'one joins', 'slowest', 'a status', 'longest task', 'library'):
        table.add_column(name, justify='right', no_wrap=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(BROWSER_OPTIONS))
        for size in sizes:
            gallery = Gallery()
            server = ViewerServer(gallery, NoDesk(), 'localhost', 0)
            server.start()
            page = browser.new_page(viewport={'width': 1400, 'height': 850})
            page.goto(server.address)
            table.add_row(*drawing_speed(page, gallery.begin('run', 'a goal'), size).row())
            page.close()
            server.close()
        version = browser.version
        browser.close()
    console = Console()
    console.print(f'{machine()}; Chromium {version}, headless')
    console.print(table)
    return 0
