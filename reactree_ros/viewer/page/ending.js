// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// How a run ended, why, and what to look at: the first thing to be read of it.

import { $, make } from 'viewer/dom.js'

const TROUBLE = new Set(['rejected', 'failure', 'fault'])
const DECISIONS = new Set(['think', 'act', 'recall', 'expand', 'ask', 'done', 'failure'])

export class Ending {
  /** @param {(number, count) => void} go shows a behaviour after so many frames. */
  constructor(go) {
    this.go = go
    this.key = ''
  }

  show(run) {
    const end = run.ended ? run.lastEvent(run.frames.length) : null
    const key = end ? `${run.name} ${run.frames.length}` : ''
    if (key === this.key) return
    this.key = key
    $('ending').hidden = !end
    if (!end) return
    const [status] = end.text.split(':')
    $('ending').className = status
    const lines = [make('b', status, status), end.text.slice(status.length)]
    $('ending').replaceChildren(make('p', '', ...lines), ...this.checked(run, status), ...this.failed(run), this.links(run))
  }

  /** Say what was checked in the end. */
  checked(run, status) {
    const conditions = run.conditions(run.frames.length)
    const unmet = conditions.filter((one) => !one.met)
    const texts = (list) => list.map((one) => one.text).join(' · ')
    if (unmet.length) {
      const begin = status === 'succeeded' ? 'It counts as done although this does not hold: ' : 'What does not hold: '
      return [make('p', '', begin, make('b', 'bad', texts(unmet)))]
    }
    if (status !== 'succeeded') return []
    if (!conditions.length) return [make('p', '', 'Nobody said what must hold in the end, so nothing was checked.')]
    return [make('p', '', 'What was checked, and holds: ', make('b', '', texts(conditions)))]
  }

  /** Name the skill that failed most often, and what the robot said. */
  failed(run) {
    const kinds = new Map()
    for (const one of run.latest.tree.values()) {
      if (one.kind !== 'skill' || one.status !== 'failed') continue
      const known = kinds.get(one.name)
      kinds.set(one.name, { count: (known?.count || 0) + 1, first: known?.first || one })
    }
    const most = [...kinds.values()].reduce((best, one) => (best && best.count >= one.count ? best : one), null)
    if (!most) return []
    const { first, count } = most
    const begun = run.times.get(first.number)
    const link = this.link(`${count} × ${first.name}`, first.number, begun ? run.count(begun[1]) : run.frames.length)
    return [make('p', '', kinds.size > 1 ? 'Failed most often: ' : 'Failed: ', link, first.feedback ? ` ${first.feedback}` : '')]
  }

  /** Return buttons that go to where the run took its turn. */
  links(run) {
    const line = make('p', 'links')
    const to = (text, at) => line.append(this.link(text, run.frames[at].behaviour, at + 1))
    const decided = run.at.filter((at) => DECISIONS.has(run.frames[at].what))
    const trouble = run.at.find((at) => TROUBLE.has(run.frames[at].what))
    if (run.conditionsAt.length) to('what it took the goal for', run.conditionsAt[0])
    if (decided.length) to('first decision', decided[0])
    if (trouble !== undefined && trouble < decided[decided.length - 1]) to(`first trouble: ${run.frames[trouble].what}`, trouble)
    if (decided.length > 1) to('last decision', decided[decided.length - 1])
    return line
  }

  link(text, number, at) {
    const button = make('button', 'link', text)
    button.type = 'button'
    button.onclick = () => this.go(number, at)
    return button
  }
}
