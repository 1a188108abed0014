// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// The page: what is told is shown at the time that is chosen, and what a person does is ordered.

import { BeliefForm } from 'viewer/belief.js'
import { Camera } from 'viewer/camera.js'
import { Comparison } from 'viewer/compare.js'
import { $, make } from 'viewer/dom.js'
import { Ending } from 'viewer/ending.js'
import { WorldMap } from 'viewer/map.js'
import { NodePanel, showConditions } from 'viewer/node.js'
import { QuestionForm } from 'viewer/question.js'
import { Run } from 'viewer/run.js'
import { TimeLine } from 'viewer/timeline.js'
import { TreeView, legend } from 'viewer/tree.js'
import { Scene3D } from 'viewer/world3d.js'

const NOTICE_MS = 6000
const NO_QUESTION = { question: '', question_id: '', options: [] }
const KEYS = 'ArrowLeft and ArrowRight: one event back or on; Home, End: beginning, end; space: play; /: search; '
  + 'l: live; in the tree, arrows move and fold; in a question, arrows and Enter choose, Escape goes back'

export class Page {
  /** @param {(Page) => object} source makes what runs come from. */
  constructor(source) {
    this.tree = new TreeView($('tree'), (number) => this.choose(number))
    this.map = new WorldMap($('map'), (name) => this.find(name))
    this.scene = new Scene3D($('scene'), (name) => this.find(name))
    this.ending = new Ending((number, at) => this.look(number, at))
    this.belief = new BeliefForm((about) => this.order('believe', { run: this.run.name, ...about }))
    this.node = new NodePanel({
      choose: (number) => this.choose(number),
      explain: (run) => this.order('reasons', { run: run.name, number: run.byNumber.size }),
      decide: (run, about) => this.decide(run, about),
    })
    this.time = new TimeLine((time) => this.go(this.run.count(time)))
    this.other = new Comparison(() => this.draw())
    this.other.goTo = (count) => this.go(count)
    this.question = new QuestionForm((text) => this.reply(text))
    this.run = new Run('')
    this.runs = []
    this.state = { planner: 'absent', strategies: [], pause_state: '', notices: -1, ...NO_QUESTION }
    this.title = document.title
    this.chosen = 0
    this.query = ''
    this.at = 0 // frames that are shown
    this.live = true // goes to every new run
    this.following = true // stays at the end of this run
    this.drawing = false
    $('legend').append(...legend(), make('p', '', KEYS))
    this.listen()
    this.source = source(this)
    this.camera = new Camera($('camera'), !!this.source.serves)
  }

  order(what, about = {}) {
    this.source.order(what, about)
  }

  receive(message) {
    if (message.type === 'state') this.showState(message.state)
    else if (message.type === 'runs') this.showRuns(message.runs)
    else if (message.type === 'notice') this.notify(message.text)
    else if (message.type === 'frames') this.take(message)
    else if (message.type === 'reasons' && message.run === this.run.name) {
      this.run.explain(message.decisions)
      this.draw()
    }
  }

  take(message) {
    for (const run of [this.run, this.other.run]) {
      if (run?.name === message.run) run.add(message.frames.slice(Math.max(0, run.frames.length - message.first)))
    }
    this.draw()
  }

  /** Ask for what is shown, after the server has gone and come back. */
  reopen() {
    if (this.run.name) this.open(this.run.name)
  }

  lost() {
    this.showState({ ...this.state, ...NO_QUESTION, planner: 'absent', gone: true })
  }

  // What a person does.

  listen() {
    $('goal-form').onsubmit = (event) => {
      event.preventDefault()
      this.order('send', { goal: $('goal').value.trim(), strategy: $('strategy').value })
      this.live = this.following = true
    }
    $('cancel').onclick = () => this.order('cancel', { run: this.run.name })
    $('pause').onclick = () => this.order(this.state.pause_state === 'running' ? 'pause' : 'resume')
    $('step').onclick = () => this.order('step')
    $('runs').onchange = () => { this.live = false; this.open($('runs').value) }
    $('beside').onchange = () => this.compare($('beside').value)
    $('correct').onclick = () => this.correct()
    $('keep').onclick = () => { $('correct-form').hidden = true }
    $('correct-form').onsubmit = (event) => {
      event.preventDefault()
      this.order('correct', { run: this.run.name, text: $('corrected').value })
      $('correct-form').hidden = true
    }
    $('belief').ontoggle = () => this.draw()
    $('reached').onclick = () => this.order('confirm', { run: this.run.name, text: 'yes' })
    $('missed').onclick = () => this.order('confirm', { run: this.run.name, text: 'no' })
    $('search').oninput = () => { this.query = $('search').value.trim(); this.draw() }
    $('unfold').onclick = () => this.tree.foldAll(true)
    $('fold').onclick = () => this.tree.foldAll(false)
    $('earlier').onclick = () => this.go(this.run.step(this.at, -1))
    $('later').onclick = () => this.go(this.run.step(this.at, 1))
    $('live').onclick = () => this.goLive()
    for (const tab of document.querySelectorAll('#tabs button')) tab.onclick = () => this.pane(tab.dataset.pane)
    document.addEventListener('keydown', (event) => this.key(event))
  }

  key(event) {
    const field = event.target.closest('input:not([type=range]), select, textarea, button, summary')
    if (field || event.ctrlKey || event.metaKey || event.altKey) return
    const keys = {
      ArrowLeft: () => this.go(this.run.step(this.at, -1)),
      ArrowRight: () => this.go(this.run.step(this.at, 1)),
      Home: () => this.go(0),
      End: () => this.go(this.run.frames.length),
      ' ': () => $('play').click(),
      '/': () => { this.pane('tree'); $('search').focus() },
      l: () => this.state.planner !== 'recorded' && this.goLive(),
    }
    if (!keys[event.key]) return
    event.preventDefault()
    keys[event.key]()
  }

  /** Show one of world, tree and reasons where there is no room for all. */
  pane(name) {
    document.body.dataset.pane = name
    for (const tab of document.querySelectorAll('#tabs button')) tab.setAttribute('aria-pressed', tab.dataset.pane === name)
    this.time.draw(true)
  }

  reply(text) {
    this.order('answer', { question: this.state.question_id, text })
    $('answer').value = ''
  }

  /** Continue a run from a decision that a person takes. */
  decide(run, about) {
    this.live = this.following = true // to what comes of it
    this.order('decide', { run: run.name, ...about })
  }

  /** Show a behaviour at a time, with its reasons where there is no room for all. */
  look(number, at) {
    this.go(at)
    this.tree.follow = true
    this.pane('why')
    this.choose(number)
  }

  /** Have a person write what must hold in the end. */
  correct() {
    $('corrected').value = this.run.conditions(this.run.frames.length).map((one) => one.text).join('\n')
    $('correct-form').hidden = false
    $('corrected').focus()
  }

  goLive() {
    this.live = this.following = this.tree.follow = true
    const running = this.runs.find((run) => !run.recorded)
    if (running && running.name !== this.run.name) this.open(running.name)
    this.draw()
  }

  choose(number) {
    this.chosen = number
    this.draw()
  }

  /** Search the tree for what has to do with a thing or a piece of furniture. */
  find(name) {
    this.query = $('search').value = name.replace(/ \d+$/, '') // skills and subgoals name classes, too
    this.pane('tree')
    this.draw()
  }

  open(name) {
    this.run = new Run(name)
    this.chosen = 0
    this.following = true
    this.tree.reset()
    this.node.reset()
    this.time.stop()
    $('runs').value = name
    this.order('open', { run: name })
    this.offerOthers()
    if (this.other.run) this.compare(this.other.run.name === name ? '' : this.other.run.name)
    this.showEnd()
    this.draw()
  }

  compare(name) {
    $('beside').value = name
    const run = name ? new Run(name) : null
    if (run) run.goal = $('beside').selectedOptions[0]?.textContent
    this.other.set(run)
    if (run) this.order('beside', { run: name })
    this.draw()
  }

  go(count) {
    const last = this.run.frames.length
    this.at = Math.max(0, Math.min(count, last))
    this.following = this.at === last
    this.live = this.live && this.following
    this.draw()
  }

  // What is shown.

  showState(state) {
    // a page that is opened later does not repeat what was told before
    if (this.state.notices >= 0 && state.notices > this.state.notices) this.notify(state.notice)
    const before = this.state
    this.state = state
    const recorded = state.planner === 'recorded'
    const ready = state.planner === 'ready'
    const words = { ready: 'planner ready', absent: 'no planner', recorded: 'recorded run' }
    const pause = { pausing: 'pausing', paused: 'paused' }[state.pause_state] || ''
    $('planner').textContent = state.gone ? 'viewer has ended' : pause || words[state.planner]
    $('planner').className = `state ${pause || state.planner}`
    for (const id of ['goal', 'strategy', 'send']) $(id).disabled = !ready
    $('goal-form').hidden = $('controls').hidden = $('live').hidden = recorded
    if (before.strategies.join() !== state.strategies.join()) {
      const names = ['', ...state.strategies]
      $('strategy').replaceChildren(...names.map((name) => new Option(name || "planner's strategy", name)))
    }
    $('pause').hidden = $('step').hidden = !state.pause_state
    $('pause').textContent = state.pause_state === 'running' ? 'Pause' : 'Resume'
    $('step').disabled = state.pause_state !== 'paused'
    document.body.classList.toggle('paused', !!pause)
    document.title = state.question_id ? `? ${state.question}` : this.title
    if (before.question_id !== state.question_id) this.question.show(state)
    this.showEnd()
  }

  showRuns(runs) {
    const newest = runs.find((run) => !run.recorded)
    const known = (name) => this.runs.some((run) => run.name === name)
    const [isNew, isBack] = [newest && !known(newest.name), !known(this.run.name)]
    this.runs = runs
    $('runs').replaceChildren(...runs.map((run) => new Option(label(run), run.name)))
    this.offerOthers()
    $('beside').hidden = runs.length < 2
    if (isNew && this.live) this.open(newest.name)
    else if (this.run.name && isBack && !this.run.frames.length && known(this.run.name)) this.open(this.run.name)
    else if (!this.run.name && runs.length && this.state.planner === 'recorded') this.open(runs[0].name)
    $('runs').value = this.run.name
    this.showEnd()
  }

  /** Offer all runs but the one that is shown for comparison. */
  offerOthers() {
    const others = this.runs.filter((run) => run.name !== this.run.name)
    $('beside').replaceChildren(new Option('compare with …', ''), ...others.map((run) => new Option(label(run), run.name)))
    $('beside').value = this.other.run?.name || ''
  }

  showEnd() {
    const about = this.runs.find((run) => run.name === this.run.name)
    $('gallery').hidden = !about?.look
    if (about?.look) $('gallery').replaceChildren(`${about.look} `, make('b', about.holds === false ? 'bad' : '', about.world))
    const ready = this.state.planner === 'ready' && !!about && !about.recorded
    const runs = ready && !about.ended
    $('cancel').disabled = !runs
    $('correct').hidden = !runs
    if (!runs) $('correct-form').hidden = true
    $('verdict').hidden = !ready || !about.ended.startsWith('succeeded')
    $('export').hidden = !about || !this.source?.serves
    this.draw()
    $('export').href = `/export?run=${encodeURIComponent(this.run.name)}`
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
    const { run } = this
    if (this.following) this.at = run.frames.length
    const moment = run.after(this.at)
    const now = this.at ? run.frames[this.at - 1].t : 0
    const event = run.lastEvent(this.at)
    const active = event?.behaviour || 0
    const number = moment.tree.has(this.chosen) ? this.chosen : moment.tree.has(active) ? active : 1
    this.tree.show(moment, { run, now, active: this.ended(event) ? 0 : running(moment.tree, active), chosen: number, query: this.query })
    $('hint').hidden = moment.tree.size > 0
    $('tree-count').textContent = moment.tree.size ? `${moment.tree.size}` : ''
    this.map.show(moment)
    this.belief.show(run.latest.memory, !$('correct').hidden)
    this.ending.show(run)
    this.node.able = this.state.planner === 'ready'
    this.scene.show(moment)
    this.camera?.show(this.live && this.following)
    this.node.show(run, moment, this.at, number)
    showConditions(run.conditions(this.at), !$('correct').hidden)
    this.time.show(run, now)
    this.other.show(run, now, this.query)
    $('live').setAttribute('aria-pressed', this.live && this.following)
    $('earlier').disabled = this.at === 0
    $('later').disabled = this.at === run.frames.length
    $('happened').textContent = event ? `${event.what}: ${event.text}` : ''
    $('happened').className = this.ended(event) ? event.text.split(':')[0] : ''
    this.tree.reveal() // scrolling lays out the page: once, after all is in it
    this.map.reveal()
    this.node.reveal()
    $('facts').textContent = [run.facts.strategy, run.facts.skills].filter(Boolean).join(' · ')
  }

  ended(event) {
    return event?.what === 'ended'
  }
}

/** Return the deepest behaviour that runs below another; that one itself if none does. */
function running(tree, number) {
  let found = number
  for (const state of tree.values()) if (state.status === 'running' && state.parent === found) found = state.number
  return found
}

function label(run) {
  const when = run.began ? new Date(run.began * 1000).toISOString().slice(0, 16).replace('T', ' ') : ''
  if (run.title) return run.title
  if (run.recorded) return run.goal ? `${run.goal} · ${when}` : run.name
  return `${run.goal || '…'}${run.ended ? '' : ' ●'}`
}
