// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

import { $ } from 'viewer/dom.js'
import { Inside, Server } from 'viewer/source.js'
import { Page } from 'viewer/viewer.js'

window.reactree = new Page((page) => ($('run') ? new Inside(page) : new Server(page)))
