// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// Two runs side by side, from the point where they part.

import { $, make, seconds } from 'viewer/dom.js'
import { TreeView } from 'viewer/tree.js'

export class Comparison {
  constructor(choose) {
    this.run = null
    this.chosen = 0
    this.tree = new TreeView($('other-tree'), (number) => { this.chosen = number; choose() })
  }

  set(run) {
    this.run = run
    this.chosen = 0
    this.tree.reset()
    $('other').hidden = $('parting').hidden = !run
    document.body.classList.toggle('comparing', !!run)
  }

  /** Show the other run at the time that corresponds: as long after the two have parted. */
  show(run, now, query) {
    if (!this.run) return
    const count = run.common(this.run)
    const last = (one) => (count ? one.frames[one.at[count - 1]].t : 0)
    const time = now <= last(run) && count ? (now / (last(run) || 1)) * last(this.run) : now - last(run) + last(this.run)
    const frames = this.run.count(time)
    const event = this.run.lastEvent(frames)
    this.tree.show(this.run.after(frames), { run: this.run, now: time, active: event?.behaviour || 0, chosen: this.chosen, query })
    $('other-name').textContent = `${this.run.goal || this.run.name} · ${seconds(Math.min(time, this.run.end))}`
    this.part(run, count, last(run))
  }

  part(run, count, time) {
    const next = (one) => one.frames[one.at[count]]
    const said = (event) => (event ? `${event.what}: ${event.text}` : 'it ends here')
    const [mine, others] = [next(run), next(this.run)]
    const lines = !mine && !others
      ? [`The runs are the same: ${count} events.`]
      : [`The same for ${count} events, ${seconds(time)}. Then here: `, make('b', '', said(mine)), ' · there: ', make('b', '', said(others))]
    const button = make('button', '', 'Go there')
    button.id = 'go-part'
    button.type = 'button'
    button.onclick = () => this.goTo(mine ? run.at[count] + 1 : run.frames.length)
    $('parting').replaceChildren(make('span', '', ...lines), mine || others ? button : '')
  }
}
