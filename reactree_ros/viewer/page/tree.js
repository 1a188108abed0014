// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// The behaviour tree as an outline: names in full, what is done folded, what runs in view.

import { make, seconds, plural } from 'viewer/dom.js'

const FEW = 40 // so many behaviours are all shown
const STATUS_SIGNS = { running: '▶', succeeded: '✓', failed: '✕', interrupted: '■', waiting: '·' }
const KIND_SIGNS = { agent: '◆', sequence: '→', fallback: '?', parallel: '⇉', skill: '▪', recall: '↺', question: '¿', other: '•' }
const OVER = new Set(['succeeded', 'failed', 'interrupted'])

export class TreeView {
  /** @param {(number) => void} choose gets the number of the behaviour that a person chooses. */
  constructor(root, choose) {
    this.root = root
    this.choose = choose
    this.rows = new Map() // {row, parts, key}, by number
    this.folds = new Map() // what a person has folded (false) or unfolded (true)
    this.order = ''
    this.chosen = 0
    this.follow = true
    this.tabbed = null // the row that the tab key comes to
    root.addEventListener('click', (event) => this.click(event))
    root.addEventListener('keydown', (event) => this.key(event))
    root.addEventListener('wheel', () => { this.follow = false }, { passive: true })
  }

  reset() {
    this.folds.clear()
    this.rows.clear()
    this.tabbed = null
    this.root.replaceChildren()
    this.order = ''
    this.follow = true
  }

  /**
   * Show the tree of a moment.
   * @param {object} about run, now (seconds), active (number), chosen (number), query (text)
   */
  show(moment, about) {
    this.moment = moment
    this.about = about
    this.chosen = about.chosen
    this.nodes = relatives(moment.tree)
    this.above = new Set() // what the active one is below
    for (let one = moment.tree.get(about.active); one; one = moment.tree.get(one.parent)) this.above.add(one.parent)
    this.matches = about.query ? matching(moment.tree, about.query) : null
    const numbers = this.visible()
    for (const number of numbers) this.update(number)
    const order = numbers.join()
    if (order !== this.order) {
      this.order = order
      this.arrange(numbers.map((number) => this.rows.get(number).row))
    }
    const focus = this.rows.has(about.chosen) && numbers.includes(about.chosen) ? about.chosen : numbers[0]
    if (this.tabbed) this.tabbed.tabIndex = -1
    this.tabbed = this.rows.get(focus)?.row
    if (this.tabbed) this.tabbed.tabIndex = 0
  }

  /** Have these rows and no others, with as few moves as it takes. */
  arrange(rows) {
    const wanted = new Set(rows)
    for (const row of [...this.root.children]) if (!wanted.has(row)) row.remove()
    let next = this.root.firstElementChild
    for (const row of rows) {
      if (row === next) next = next.nextElementSibling
      else this.root.insertBefore(row, next)
    }
  }

  /** Bring what is active into view; if it is folded away, what it is folded into. */
  reveal() {
    const number = this.about.active
    if (!this.follow || number === this.shownActive) return
    this.shownActive = number
    let shown = number
    while (shown && !this.rows.get(shown)?.row.isConnected) shown = this.moment.tree.get(shown)?.parent
    if (shown) this.rows.get(shown).row.scrollIntoView({ block: 'nearest' })
  }

  /** Return the numbers of the rows that are to be seen, from top to bottom. */
  visible() {
    const numbers = []
    const add = (number) => {
      const node = this.nodes.get(number)
      if (this.matches && !this.matches.has(number)) return
      numbers.push(number)
      if (this.opened(node)) node.children.forEach(add)
    }
    for (const [number, node] of this.nodes) if (!this.nodes.has(node.state.parent)) add(number)
    return numbers
  }

  opened(node) {
    if (!node.children.length) return false
    if (this.matches) return true
    const said = this.folds.get(node.state.number)
    if (said !== undefined) return said
    if (this.nodes.size <= FEW || node.depth === 0) return true
    if (node.running || this.above.has(node.state.number)) return true
    return node.state.status === 'failed' && node.blamed
  }

  update(number) {
    const node = this.nodes.get(number)
    const { state } = node
    const opened = this.opened(node)
    let known = this.rows.get(number)
    if (!known) {
      known = { row: make('div'), key: '' }
      known.row.setAttribute('role', 'treeitem')
      known.row.tabIndex = -1
      known.row.dataset.number = number
      this.rows.set(number, known)
    }
    const time = this.time(number, state)
    const count = opened ? 0 : node.below
    const key = [state.status, state.name, state.feedback, opened, time, count, node.same, number === this.chosen, this.about.query, number === this.about.active].join('\u0000')
    if (key === known.key) return
    known.key = key
    this.fill(known.row, node, { opened, time, count })
  }

  fill(row, node, { opened, time, count }) {
    const { state } = node
    const { number } = state
    row.className = `row ${state.status} ${state.kind}${number === this.about.active ? ' active' : ''}`
    row.style.setProperty('--depth', node.depth)
    row.setAttribute('aria-level', node.depth + 1)
    row.setAttribute('aria-selected', number === this.chosen)
    if (node.children.length) row.setAttribute('aria-expanded', opened)
    else row.removeAttribute('aria-expanded')
    const name = make('span', 'name')
    if (node.same) name.append(make('span', 'same', ...marked(state.name.slice(0, node.same), this.about.query)))
    name.append(...marked(state.name.slice(node.same), this.about.query))
    const text = make('span', 'text', name)
    text.append(make('span', 'hidden-text', ` ${state.kind}, ${state.status} `))
    const folded = node.children.length && !opened && state.kind !== 'agent' // its name says little
    const goals = folded ? node.children.map((child) => this.moment.tree.get(child).name).join(' · ') : ''
    const says = [state.feedback === state.status ? '' : state.feedback, goals].filter(Boolean).join(' · ')
    if (says) text.append(make('span', 'feedback', says))
    row.replaceChildren(
      sign('fold', node.children.length ? (opened ? '▾' : '▸') : ''),
      sign('status', STATUS_SIGNS[state.status] || '·'),
      sign('kind', KIND_SIGNS[state.kind] || '•'),
      text,
      make('span', 'count', count ? `${count} below` : ''),
      make('span', 'seconds', time),
    )
  }

  /** Return how long a behaviour has run so far. */
  time(number, state) {
    const span = this.about.run.times.get(number)
    if (!span || state.status === 'waiting' || span[0] > this.about.now) return ''
    const end = OVER.has(state.status) ? Math.min(span[1], this.about.now) : this.about.now
    return end - span[0] >= 0.05 ? seconds(end - span[0]) : ''
  }

  click(event) {
    const row = event.target.closest('[role=treeitem]')
    if (!row) return
    const number = Number(row.dataset.number)
    if (event.target.closest('.fold') && row.hasAttribute('aria-expanded')) this.fold(number)
    else this.choose(number)
    row.focus({ preventScroll: true })
  }

  fold(number, open = !this.opened(this.nodes.get(number))) {
    this.folds.set(number, open)
    this.show(this.moment, this.about)
  }

  /** Fold or unfold everything. */
  foldAll(open) {
    this.folds = new Map([...this.nodes].filter(([, node]) => node.depth).map(([number]) => [number, open]))
    this.show(this.moment, this.about)
  }

  key(event) {
    const row = event.target.closest('[role=treeitem]')
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    const number = Number(row.dataset.number)
    const node = this.nodes.get(number)
    const shown = this.visible()
    const at = shown.indexOf(number)
    const opened = this.opened(node)
    const moves = {
      ArrowDown: () => this.go(shown[at + 1]),
      ArrowUp: () => this.go(shown[at - 1]),
      Home: () => this.go(shown[0]),
      End: () => this.go(shown[shown.length - 1]),
      ArrowRight: () => (opened ? this.go(node.children.find((child) => shown.includes(child))) : node.children.length && this.fold(number, true)),
      ArrowLeft: () => (opened ? this.fold(number, false) : this.go(node.state.parent)),
      Enter: () => this.choose(number),
    }
    if (!moves[event.key]) return
    moves[event.key]()
    event.preventDefault()
    event.stopPropagation()
  }

  go(number) {
    if (!this.nodes.has(number)) return
    this.choose(number)
    const { row } = this.rows.get(number)
    row.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  }
}

/** Make a sign that is seen, not read out. */
function sign(name, text) {
  const element = make('span', name, text)
  element.setAttribute('aria-hidden', 'true')
  return element
}

/** Return what is to be known of each behaviour beside its state: children, depth and so on. */
function relatives(tree) {
  const nodes = new Map()
  for (const state of tree.values()) {
    const parent = nodes.get(state.parent)
    const node = { state, children: [], depth: parent ? parent.depth + 1 : 0, below: 0, running: false, same: 0, blamed: !parent }
    nodes.set(state.number, node)
    parent?.children.push(state.number)
  }
  for (const node of [...nodes.values()].reverse()) {
    const parent = nodes.get(node.state.parent)
    node.running = node.running || node.state.status === 'running'
    if (!parent) continue
    parent.below += node.below + 1
    parent.running = parent.running || node.running
  }
  for (const node of nodes.values()) {
    const children = node.children.map((number) => nodes.get(number))
    // what a failed behaviour failed of is the last one below it that failed
    const failed = children.findLast((child) => child.state.status === 'failed')
    if (failed && node.blamed && node.state.status === 'failed') failed.blamed = true
    const names = children.filter((child) => child.state.kind === 'agent').map((child) => child.state.name)
    const same = common(names)
    if (same) for (const child of children) if (child.state.kind === 'agent') child.same = same
  }
  return nodes
}

/** Return how many characters names begin with in common, in whole words; not all of any. */
function common(names) {
  if (names.length < 2) return 0
  let size = Math.min(...names.map((name) => name.length - 1))
  for (const name of names) while (name.slice(0, size) !== names[0].slice(0, size)) size--
  return names[0].lastIndexOf(' ', size) + 1
}

/** Return the numbers of behaviours that have all words of a query, and of those above them. */
function matching(tree, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = new Set()
  for (const state of tree.values()) {
    const text = `${state.name} ${state.feedback} ${state.status} ${state.kind}`.toLowerCase()
    if (!words.every((word) => text.includes(word))) continue
    for (let one = state; one && !found.has(one.number); one = tree.get(one.parent)) found.add(one.number)
  }
  return found
}

/** Return a text with the first word of a query marked in it. */
function marked(text, query) {
  const word = query.trim().split(/\s+/)[0]
  const at = word ? text.toLowerCase().indexOf(word.toLowerCase()) : -1
  if (at < 0) return [text]
  return [text.slice(0, at), make('mark', '', text.slice(at, at + word.length)), text.slice(at + word.length)]
}

export function legend() {
  const sign = (signs) => Object.entries(signs).map(([word, text]) => make('span', '', `${text} ${word}  `))
  return [make('p', '', ...sign(STATUS_SIGNS)), make('p', '', ...sign(KIND_SIGNS)), make('p', '', plural(FEW, 'behaviour'), ' and fewer are all shown; of more, what is done is folded.'),
    make('p', '', 'Time line: the model decides, skills run (red: failed), and what was rejected, given up or asked.')]
}
