// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// The page: what comes over the websocket is shown, what a person does is sent.

import { Run } from './run.js'
import { TreeView } from './tree.js'

const COSTS = [
  ['decisions', 'decisions', 0],
  ['skills', 'skills', 0],
  ['tokens_in', 'tokens read', 0],
  ['tokens_reused', 'of them reused', 0],
  ['tokens_out', 'tokens written', 0],
  ['model_seconds', 'model, s', 1],
  ['skill_seconds', 'skills, s', 1],
  ['operator_seconds', 'operator, s', 1],
  ['total_seconds', 'total, s', 1],
]
const NOTICE_MS = 6000
const AGAIN_MS = 1000
const OPEN = '…' // ends an option that is to be completed
const EXPAND = 'Expand: '
const ARM_MS = 600 // a click that was meant for the question before does not answer the new one

const $ = (id) => document.getElementById(id)

/** Put new children below an element: texts, never HTML. */
function fill(element, children) {
  element.replaceChildren(...children)
}

function make(tag, text = '', className = '') {
  const element = document.createElement(tag)
  element.textContent = text
  element.className = className
  return element
}

function row(...texts) {
  const line = document.createElement('tr')
  line.append(...texts.map((text) => make('td', text)))
  return line
}

class Page {
  constructor() {
    this.tree = new TreeView((number) => this.choose(number))
    this.run = new Run('')
    this.runs = []
    this.opened = ''
    this.filters = false
    this.state = { planner: 'absent', strategies: [], question: '', question_id: '', options: [], pause_state: '', notices: 0 }
    this.chosen = 0
    this.at = 0 // frames that are shown
    this.live = true // goes to every new run
    this.following = true // stays at the end of this run
    this.drawing = false
    this.listen()
    this.connect()
  }

  connect() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    this.socket = new WebSocket(`${scheme}://${location.host}/socket`)
    this.socket.onopen = () => { if (this.run.name) this.open(this.run.name) }
    this.socket.onmessage = (message) => this.receive(JSON.parse(message.data))
    this.socket.onclose = () => {
      const nothing = { question: '', question_id: '', options: [] }
      this.showState({ ...this.state, ...nothing, planner: 'absent', gone: true })
      setTimeout(() => this.connect(), AGAIN_MS)
    }
  }

  order(what, about = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ do: what, ...about }))
  }

  receive(message) {
    if (message.type === 'state') this.showState(message.state)
    else if (message.type === 'runs') this.showRuns(message.runs)
    else if (message.type === 'notice') this.notify(message.text)
    else if (message.type === 'frames' && message.run === this.run.name) {
      this.run.add(message.frames.slice(Math.max(0, this.run.frames.length - message.first)))
      this.draw()
    }
  }

  // What a person does.

  listen() {
    $('goal-form').onsubmit = (event) => {
      event.preventDefault()
      this.order('send', { goal: $('goal').value.trim(), strategy: $('strategy').value })
      this.live = this.following = true
    }
    $('question-form').onsubmit = (event) => {
      event.preventDefault()
      this.give()
    }
    $('answer').oninput = () => this.filter()
    $('decline').onclick = () => this.reply('')
    $('cancel').onclick = () => this.order('cancel', { run: this.run.name })
    $('pause').onclick = () => this.order(this.state.pause_state === 'running' ? 'pause' : 'resume')
    $('step').onclick = () => this.order('step')
    $('runs').onchange = () => { this.live = false; this.open($('runs').value) }
    $('time').oninput = () => this.go(Number($('time').value))
    $('earlier').onclick = () => this.go(this.next(-1))
    $('later').onclick = () => this.go(this.next(1))
    $('live').onclick = () => {
      this.live = this.following = true
      const running = this.runs.find((run) => !run.recorded)
      if (running && running.name !== this.run.name) this.open(running.name)
      this.draw()
    }
  }

  reply(text) {
    this.order('answer', { question: this.state.question_id, text })
    $('answer').value = ''
  }

  /** Reply with what was typed; it completes the option that was chosen, if one was. */
  give() {
    const text = $('answer').value.trim()
    const subgoals = $('subgoals').value.split('\n').map((line) => line.trim()).filter(Boolean)
    if (this.opened.startsWith(EXPAND)) {
      if (subgoals.length) this.reply(this.opened + JSON.stringify(subgoals))
    } else if (this.opened) {
      if (text) this.reply(this.opened + text)
    } else if (!this.filters) this.reply(text)
  }

  /** Take what is typed from now on for the rest of an option. */
  complete(begin) {
    const listed = begin.startsWith(EXPAND)
    this.opened = begin
    $('answer').value = ''
    $('answer').placeholder = begin
    $('answer').hidden = listed
    $('subgoals').hidden = !listed
    $('subgoals').title = begin
    $('give').hidden = false
    this.filter()
    $(listed ? 'subgoals' : 'answer').focus()
  }

  /** Show the options that have all the words that are typed. */
  filter() {
    if (!this.filters) return
    const words = this.opened ? [] : $('answer').value.toLowerCase().split(/\s+/)
    for (const button of $('options').children) {
      const text = button.textContent.toLowerCase()
      button.hidden = !words.every((word) => text.includes(word))
      button.classList.toggle('on', button.textContent === `${this.opened}${OPEN}`)
    }
  }

  choose(number) {
    this.chosen = number
    this.tree.mark(number)
    this.showNode(this.run.after(this.at))
  }

  open(name) {
    this.run = new Run(name)
    this.chosen = 0
    this.following = true
    $('runs').value = name
    this.order('open', { run: name })
    this.draw()
  }

  go(count) {
    const last = this.run.frames.length
    this.at = Math.max(0, Math.min(count, last))
    this.following = this.at === last
    this.live = this.live && this.following
    this.draw()
  }

  /** Return how many frames are shown one event further, or back. */
  next(step) {
    const frames = this.run.frames
    let at = this.at + step
    while (at > 0 && at < frames.length && frames[at - 1].kind !== 'event') at += step
    return at
  }

  // What is shown.

  showState(state) {
    if (state.notices > this.state.notices) this.notify(state.notice)
    const before = this.state
    this.state = state
    const ready = state.planner === 'ready'
    const words = { ready: 'planner ready', absent: 'no planner', recorded: 'recorded run' }
    $('planner').textContent = state.gone ? 'viewer has ended' : words[state.planner]
    $('planner').className = `state ${state.planner}`
    for (const id of ['goal', 'strategy', 'send']) $(id).disabled = !ready
    $('goal-form').hidden = $('controls').hidden = state.planner === 'recorded'
    if (before.strategies.join() !== state.strategies.join()) {
      const names = ['', ...state.strategies]
      fill($('strategy'), names.map((name) => new Option(name || "planner's strategy", name)))
    }
    $('pause').hidden = $('step').hidden = !state.pause_state
    $('pause').textContent = state.pause_state === 'running' ? 'Pause' : 'Resume'
    $('step').disabled = state.pause_state !== 'paused'
    if (before.question_id !== state.question_id) this.showQuestion(state)
    this.showEnd()
  }

  showQuestion(state) {
    const choices = state.options.map((option) => {
      const button = make('button', option)
      button.type = 'button'
      button.onclick = () => (option.endsWith(OPEN) ? this.complete(option.slice(0, -1)) : this.reply(option))
      return button
    })
    fill($('options'), choices)
    $('question').textContent = state.question
    $('question-form').hidden = !state.question_id
    this.opened = ''
    this.filters = state.options.some((option) => option.endsWith(OPEN))
    $('answer').hidden = choices.length > 0 && !this.filters
    $('give').hidden = choices.length > 0
    $('answer').placeholder = this.filters ? 'part of a name' : ''
    $('answer').value = $('subgoals').value = ''
    $('subgoals').hidden = true
    const fields = [...$('question-form').elements]
    for (const field of fields) field.disabled = true
    clearTimeout(this.arming)
    this.arming = setTimeout(() => {
      for (const field of fields) field.disabled = false
      if (!choices.length || this.filters) $('answer').focus()
    }, ARM_MS)
  }

  showRuns(runs) {
    const newest = runs.find((run) => !run.recorded)
    const known = this.runs.some((run) => newest && run.name === newest.name)
    this.runs = runs
    const label = (run) => (run.recorded ? run.name : `${run.goal || '…'}${run.ended ? '' : ' ●'}`)
    fill($('runs'), runs.map((run) => new Option(label(run), run.name)))
    if (newest && !known && this.live) this.open(newest.name)
    else if (!this.run.name && runs.length && this.state.planner === 'recorded') this.open(runs[0].name)
    $('runs').value = this.run.name
    this.showEnd()
  }

  showEnd() {
    const about = this.runs.find((run) => run.name === this.run.name)
    $('cancel').disabled = this.state.planner !== 'ready' || !about || about.recorded || !!about.ended
  }

  notify(text) {
    $('notice').textContent = text
    $('notice').hidden = false
    clearTimeout(this.noticed)
    this.noticed = setTimeout(() => { $('notice').hidden = true }, NOTICE_MS)
  }

  /** Draw what is to be seen now, once for all that has come since the last picture. */
  draw() {
    if (this.drawing) return
    this.drawing = true
    requestAnimationFrame(() => {
      this.drawing = false
      this.show()
    })
  }

  show() {
    const frames = this.run.frames
    if (this.following) this.at = frames.length
    const moment = this.run.after(this.at)
    this.tree.show([...moment.tree.values()])
    $('hint').hidden = moment.tree.size > 0
    $('time').max = frames.length
    $('time').value = this.at
    const now = this.at ? frames[this.at - 1].t : 0
    const end = frames.length ? frames[frames.length - 1].t : 0
    $('moment').textContent = `${now.toFixed(1)} / ${end.toFixed(1)} s`
    $('live').classList.toggle('on', this.live)
    $('earlier').disabled = this.at === 0
    $('later').disabled = this.at === frames.length
    const event = frames.slice(0, this.at).findLast((frame) => frame.kind === 'event')
    $('happened').textContent = event ? `${event.what}: ${event.text}` : ''
    this.showNode(moment)
    this.showConditions(frames.slice(0, this.at).findLast((frame) => frame.conditions))
    this.showMemory(moment)
  }

  showConditions(frame) {
    $('conditions').hidden = !frame
    fill(
      $('wanted'),
      (frame ? frame.conditions : []).map((one) =>
        make('li', one.met ? `✓ ${one.text}` : `✕ ${one.text}: ${one.detail}`, one.met ? 'met' : 'unmet'),
      ),
    )
  }

  showNode(moment) {
    const events = this.run.events(this.at)
    const active = events.length ? events[events.length - 1].behaviour : 1
    const number = moment.tree.has(this.chosen) ? this.chosen : active
    const state = moment.tree.get(number)
    fill($('trajectory'), [])
    fill($('node-costs'), [])
    $('node-name').textContent = state ? state.name : ''
    $('node-about').textContent = state
      ? [state.kind, state.status, state.feedback].filter(Boolean).join(' · ')
      : ''
    if (!state) return
    this.tree.mark(this.chosen)
    const own = events.filter((event) => event.behaviour === number)
    if (!own.length) return
    const costs = own[own.length - 1].node
    fill(
      $('node-costs'),
      COSTS.filter(([key]) => costs[key]).map(([key, name, digits]) =>
        row(name, costs[key].toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })),
      ),
    )
    const latest = events[events.length - 1]
    fill(
      $('trajectory'),
      own.map((event) => {
        const line = make('li', '', `${event.what}${event === latest ? ' now' : ''}`)
        line.append(make('b', `${event.what}: `), event.text)
        return line
      }),
    )
    $('trajectory').lastElementChild.scrollIntoView({ block: 'nearest' })
  }

  showMemory(moment) {
    const memory = moment.memory
    const objects = memory ? memory.objects : []
    const at = memory && memory.room ? `the robot is in ${memory.room}${memory.place ? `, at ${memory.place}` : ''}` : ''
    $('place').textContent = at
    const lines = objects
      .filter((one) => !one.furniture)
      .sort((a, b) => (b.where === 'held') - (a.where === 'held') || a.name.localeCompare(b.name))
    fill(
      $('things'),
      lines.map((one) => {
        const where = one.where === 'held' ? 'held' : [one.where, one.room].filter(Boolean).join(', ')
        return row(one.name, one.states.length ? `${where} (${one.states.join(', ')})` : where)
      }),
    )
  }
}

window.reactree = new Page()
