// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// Where runs come from: a server, or the document itself. Both take the same orders and tell the same.

import { $ } from 'viewer/dom.js'

const AGAIN_MS = 1000

/** Speaks with the viewer's server (reactree_ros/viewer/server.py). */
export class Server {
  constructor(page) {
    this.page = page
    this.serves = true // other things by address, too
    this.connect()
  }

  connect() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    this.socket = new WebSocket(`${scheme}://${location.host}/socket`)
    this.socket.onopen = () => this.page.reopen()
    this.socket.onmessage = (message) => this.page.receive(JSON.parse(message.data))
    this.socket.onclose = () => {
      this.page.lost()
      setTimeout(() => this.connect(), AGAIN_MS)
    }
  }

  order(what, about) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ do: what, ...about }))
  }
}

/** Has the runs that the document carries. */
export class Inside {
  constructor(page) {
    this.page = page
    this.read()
  }

  async read() {
    const packed = Uint8Array.from(atob($('run').textContent), (sign) => sign.charCodeAt(0))
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
    this.runs = JSON.parse(await new Response(stream).text())
    this.page.receive({ type: 'state', state: { planner: 'recorded', strategies: [], question: '', question_id: '', options: [], pause_state: '', notice: '', notices: 0 } })
    this.page.receive({ type: 'runs', runs: this.runs.map((run) => run.about) })
  }

  order(what, { run: name }) {
    const run = this.runs?.find((one) => one.about.name === name)
    if (run && (what === 'open' || what === 'beside')) {
      queueMicrotask(() => this.page.receive({ type: 'frames', run: name, first: 0, frames: run.frames }))
    }
  }
}
