// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// The behaviour in focus: what it did, and why it decided so.

import { $, make, plural, seconds, unfolding } from 'viewer/dom.js'

const COSTS = [
  ['decisions', 'decisions', plain],
  ['skills', 'skills', plain],
  ['tokens_in', 'tokens read', plain],
  ['tokens_reused', 'of them reused', plain],
  ['tokens_out', 'tokens written', plain],
  ['model_seconds', 'model', seconds],
  ['skill_seconds', 'skills', seconds],
  ['operator_seconds', 'operator', seconds],
  ['total_seconds', 'total', seconds],
]
const SPENT = [
  ['queued_seconds', 'waited', seconds],
  ['prefill_seconds', 'read', seconds],
  ['decode_seconds', 'wrote', seconds],
  ['tokens_in', 'tokens read', plain],
  ['tokens_reused', 'reused', plain],
  ['tokens_out', 'written', plain],
  ['dropped', 'left out', plain],
]
const DECISIONS = ['think', 'act', 'recall', 'expand', 'ask', 'done', 'failure']
const MAY = { think: 'think', expand: 'expand', ask: 'ask', done: 'done', failure: 'failure' }
const ENDINGS = ['done', 'failure']
const LEAVES = new Set(['skill', 'recall', 'question'])
const NOT_TOLD = { index: 0, answer: '' } // its record comes with its outcome
const MOST = 200 // so many steps of a behaviour are shown

function plain(value) {
  return value.toLocaleString('en')
}

export class NodePanel {
  /**
   * @param {object} does choose(number) shows another behaviour; explain(run) asks for what is not
   * known; decide(run, {number, others, again}) continues a run from a decision.
   */
  constructor(does) {
    Object.assign(this, does)
    this.able = false // there is a planner that can continue a run
    this.reset()
  }

  reset() {
    this.key = ''
    this.taking = {} // the decision that a person is about to take, and how
    this.opened = new Set() // indices of the decisions whose reasons a person reads
  }

  show(run, moment, count, number) {
    const state = moment.tree.get(number)
    const owner = state && LEAVES.has(state.kind) ? state.parent : number
    const events = run.events(count, owner)
    const decisions = run.decisions.filter((one) => one.behaviour === owner)
    const key = [run.name, number, count && state, events.length, decisions.length, decisions.filter((one) => one.prompt).length, this.able]
      .map((one) => (one && one.number ? `${one.status} ${one.feedback} ${one.name}` : one)).join('|')
    if (key === this.key) return
    this.key = key
    const why = decided(events, decisions)
    this.head(state, moment, run, number)
    if (!state) return
    const leaf = owner !== number
    const steps = leaf ? this.own(events, state, moment) : events
    this.costs(leaf ? [] : events)
    this.steps(run, steps, why)
  }

  head(state, moment, run, number) {
    const above = []
    for (let one = state && moment.tree.get(state.parent); one; one = moment.tree.get(one.parent)) above.unshift(one)
    $('crumbs').replaceChildren(...above.map((one) => this.link(one)))
    $('node-name').textContent = state ? state.name : 'Nothing is chosen'
    const about = state ? [state.kind, state.status] : []
    $('node-about').textContent = about.join(' · ')
    $('node-about').className = state ? `status-line ${state.status}` : ''
    $('node-why').textContent = state ? state.feedback : ''
    $('node-why').className = state && state.status === 'failed' ? 'failed' : ''
    const cause = state?.status === 'failed' && causeOf(state, moment.tree)
    if (cause) $('node-why').append(' Because of ', this.link(cause), cause.feedback ? `: ${cause.feedback}` : '')
    if (!state) for (const id of ['node-costs', 'trajectory']) $(id).replaceChildren()
  }

  /** Make a button that shows another behaviour. */
  link(state) {
    const button = make('button', 'crumb', state.name)
    button.type = 'button'
    button.onclick = () => this.choose(state.number)
    return button
  }

  /** Return the events that belong to a leaf: the decision for it, and what came of it. */
  own(events, state, moment) {
    const nth = [...moment.tree.values()].filter((one) => one.parent === state.parent && one.name === state.name && one.number <= state.number).length
    const begins = events.map((event, at) => (DECISIONS.includes(event.what) && event.text.endsWith(state.name) ? at : -1)).filter((at) => at >= 0)
    const first = begins[nth - 1] ?? begins[begins.length - 1]
    if (first === undefined) return []
    const next = events.findIndex((event, at) => at > first && DECISIONS.includes(event.what))
    return events.slice(first, next < 0 ? undefined : next)
  }

  costs(events) {
    const costs = events.length ? events[events.length - 1].node : {}
    const parts = COSTS.filter(([key]) => costs[key]).map(([key, name, show]) =>
      make('span', '', make('b', '', show(costs[key])), ` ${costs[key] === 1 ? name.replace(/s$/, '') : name}`),
    )
    $('node-costs').replaceChildren(...parts)
  }

  steps(run, events, why) {
    const list = events.slice(-MOST)
    const lines = list.map((event, at) => {
      const line = make('li', event.what, make('b', '', `${event.what}: `), event.text)
      line.append(make('small', 'when', ` ${seconds(event.t)}`))
      const { decision, other } = why.get(event) || {}
      const latest = at === list.length - 1
      if (decision && latest && this.opened.delete(NOT_TOLD.index)) this.opened.add(decision.index)
      if (decision) line.append(this.why(run, decision, other))
      else if (latest && !run.ended && DECISIONS.includes(event.what)) line.append(this.why(run, NOT_TOLD, false))
      return line
    })
    if (events.length > MOST) lines.unshift(make('li', 'dim', `${events.length - MOST} earlier steps are not shown`))
    $('trajectory').replaceChildren(...lines)
    this.fresh = true
  }

  /** Bring the latest step into view. */
  reveal() {
    if (this.fresh && !this.opened.size) $('trajectory').scrollTop = $('trajectory').scrollHeight
    this.fresh = false
  }

  /** Make what unfolds to the reasons of a decision. */
  why(run, decision, other) {
    const rest = decision.cost ? spent(decision.cost) : ''
    const offered = decision.offer ? decision.offer.reduce((sum, [first, last]) => sum + last - first + 1, 0) : 0
    const title = [other ? `after ${decision.answer}` : 'why', offered ? `one of ${plural(offered, 'option')}` : '', rest].filter(Boolean).join(' · ')
    const part = unfolding(title, () => (decision.prompt ? this.reasons(run, decision) : [this.unknown(run)]))
    part.classList.add('why')
    part.open = this.opened.has(decision.index)
    part.addEventListener('toggle', () => this.opened[part.open ? 'add' : 'delete'](decision.index))
    return part
  }

  unknown(run) {
    this.explain(run)
    return make('p', 'dim', 'The prompt is read from the file of the run; without a file it is not known.')
  }

  reasons(run, decision) {
    const { offered, masked } = run.offer(decision)
    const answer = decision.answer.replace(/^Act: /, '')
    const parts = [make('p', '', make('b', '', 'Answer '), decision.answer, decision.model ? make('small', '', ` (${decision.model})`) : '')]
    if (!decision.accepted) parts.push(make('p', 'failed', `Rejected: ${decision.outcome}`))
    if (decision.error) parts.push(make('p', 'failed', decision.error))
    const kinds = Object.keys(MAY).filter((word) => (word === 'expand' ? decision.may.expand.length : decision.may[word]))
    const not = Object.keys(MAY).filter((word) => !kinds.includes(word))
    const may = decision.may.conditions ? 'only the conditions of the goal' : kinds.join(', ')
    parts.push(make('p', '', make('b', '', 'Allowed '), may, !decision.may.conditions && not.length ? make('span', 'masked', `  masked: ${not.join(', ')}`) : ''))
    if (offered.length) parts.push(phrases(`On offer: ${offered.length}`, offered, answer, ''))
    if (masked.length) parts.push(phrases(`Masked: ${masked.length} that were on offer earlier in this run`, masked, answer, 'masked'))
    const taking = unfolding('Decide otherwise from here', () => this.otherwise(run, decision))
    taking.open = this.taking.index === decision.index // also after the panel is made anew
    taking.addEventListener('toggle', () => { this.taking = taking.open ? { ...this.taking, index: decision.index } : {} })
    parts.push(taking)
    const prompt = run.prompt(decision)
    const text = (title, body) => unfolding(title, () => [make('pre', '', body)])
    parts.push(text('Prompt: goal and steps', [prompt.task, ...prompt.steps.map(([step, decided]) => (decided ? `> ${step}` : step))].join('\n')))
    if (prompt.examples.length) parts.push(text(`Prompt: ${plural(prompt.examples.length, 'experience')}`, prompt.examples.join('\n\n')))
    parts.push(text('Prompt: system', prompt.system))
    return parts
  }

  /** Make what takes a run from one of its decisions into other hands. */
  otherwise(run, decision) {
    const number = decision.made + (decision.answer ? 0 : 1)
    if (!this.able) return [make('p', '', `This needs a running planner with the parameters of the run. Without one: reactree teach --run ${run.name}.mcap --at ${number}`)]
    const box = (key, text) => {
      const input = make('input')
      input.type = 'checkbox'
      input.checked = !!this.taking[key]
      input.onchange = () => { this.taking[key] = input.checked }
      return make('label', '', input, ` ${text}`)
    }
    const ticks = make('p', 'ticks', box('others', 'and all that follow'), box('again', 'carry out again what came before: the world is as at the start'))
    const button = make('button', '', `Take decision ${number} myself`)
    button.type = 'button'
    button.onclick = () => this.decide(run, { number, others: !!this.taking.others, again: !!this.taking.again })
    const kept = number > 1 ? `Decisions 1 to ${number - 1} are kept` : 'Nothing is kept'
    return [
      make('p', '', `${kept}; you are asked for this one, then the model goes on. If the run is still going on, it is stopped. What was done since is not undone: put the robot and the things where they were.`),
      ticks, button,
    ]
  }
}

/** Return the deepest behaviour of which a failed one failed: the last failed one of each. */
function causeOf(state, tree) {
  const below = [...tree.values()].reverse()
  let found = null
  for (let one = state; one; ) {
    const { number } = one
    one = below.find((child) => child.parent === number && child.status === 'failed')
    found = one || found
  }
  return found
}

/** Say in a word what a decision is, as events name it. */
function kindOf(answer) {
  const [begin, rest = ''] = answer.split(/: (.*)/s)
  if (begin !== 'Act') return begin.toLowerCase()
  return ENDINGS.find((word) => rest === word || rest.startsWith(`${word}: `)) || (rest.startsWith('recall location of ') ? 'recall' : 'act')
}

/**
 * Return the decisions of events, by event: the first thought is the first event of a thought, and
 * so on. A node that ended otherwise, as by a limit, has the last decision, which was not done.
 */
function decided(events, decisions) {
  const found = new Map()
  const left = new Map() // decisions that have no event yet, by their kinds
  const put = (kind, one) => left.set(kind, [...(left.get(kind) || []), one])
  for (const one of decisions) put(one.accepted ? kindOf(one.answer) : 'rejected', one)
  for (const event of events) {
    const decision = left.get(event.what)?.shift()
    if (decision) found.set(event, { decision, other: false })
  }
  const end = events.find((event) => ENDINGS.includes(event.what) && !found.has(event))
  const last = decisions[decisions.length - 1]
  if (end && last?.accepted && left.get(kindOf(last.answer))?.includes(last)) found.set(end, { decision: last, other: true })
  return found
}

function phrases(title, list, answer, name) {
  const kinds = new Map() // by their first words
  for (const one of list) {
    const verb = one.split(' ').slice(0, 2).join(' ')
    kinds.set(verb, [...(kinds.get(verb) || []), one])
  }
  return unfolding(title, () =>
    [...kinds].map(([verb, all]) => {
      const line = make('p', `phrases ${name}`, make('b', '', `${verb} `))
      for (const one of all) line.append(make('span', one === answer ? 'taken' : '', one.slice(verb.length).trim() || one), ' ')
      return line
    }),
  )
}

function spent(cost) {
  return SPENT.filter(([key]) => cost[key]).map(([key, name, show]) => `${name} ${show(cost[key])}`).join(', ')
}

export function showConditions(conditions, editable) {
  $('conditions').hidden = !conditions.length && !editable
  const met = conditions.filter((one) => one.met).length
  $('conditions-title').textContent = `What must hold in the end: ${conditions.length ? `${met} of ${conditions.length}` : 'nothing was said'}`
  $('wanted').replaceChildren(
    ...conditions.map((one) => make('li', one.met ? 'met' : 'unmet', one.met ? `✓ ${one.text}` : `✕ ${one.text}${one.detail ? `: ${one.detail}` : ''}`)),
  )
}
