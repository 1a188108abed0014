// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// The tree, drawn with py_trees' own library (py_trees_js, on JointJS).
//
// The library's update_graph draws everything anew when a behaviour joins, and routes every edge
// around every box: seconds for hundreds of behaviours. A tree that grows while it runs is drawn
// here bit by bit, with the library's graph, paper, boxes and folding.

/* global joint, py_trees */

const STATUSES = { running: 'RUNNING', succeeded: 'SUCCESS', failed: 'FAILURE' }
const COLOURS = {
  agent: '#8e6bd8',
  sequence: '#ffa500',
  fallback: '#00ffff',
  parallel: '#ffff00',
  skill: '#4f8f5f',
  recall: '#4f7f9f',
  question: '#d06090',
}
const EDGES = { running: '#4d8dff', succeeded: '#3f9f55', failed: '#d04545' }
const PLAIN = '#555555'
const DARK = '#444444'
const WIDTH = 220
const GAP = 26
const HEIGHT = 50
const ROW = 100
const STACK = 62
const MARGIN = 40
const SMALLEST = 0.1
const SCALE_STEP = 1.15
const READABLE = 0.3 // at smaller scales labels are not drawn
const FEW = 60 // so many behaviours are centred anew whenever one joins

/** Write a text so that the library, which sets names as HTML, shows it as it is. */
function escaped(text) {
  const signs = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, (sign) => signs[sign])
}

/** Labels that are too small to be read are hidden, and then not worth their time either. */
const { updateBox } = joint.shapes.trees.NodeView.prototype
joint.shapes.trees.NodeView.prototype.updateBox = function () {
  if (!this.paper || !this.paper.el.classList.contains('far')) updateBox.call(this)
}

export class TreeView {
  /** @param {(number) => void} choose gets the number of a behaviour that is clicked. */
  constructor(choose) {
    // the library reaches for these two by name
    window.canvas_graph = this.graph = py_trees.canvas.create_graph()
    window.canvas_paper = this.paper = py_trees.canvas.create_paper({ graph: this.graph })
    this.shown = new Map() // what is drawn, by number: {state, cell, edge}
    this.order = ''
    this.extent = { width: 0, height: 0 }
    this.graph.clear() // the library's splash
    this.graph.set('splash', false)
    this.paper.off('element:pointerclick') // the library's own selection is of many
    this.paper.on('element:pointerclick', (view) => choose(view.model.get('behaviour_id')))
    this.paper.on('scale translate', () => this.moveLabels())
    window.addEventListener('resize', () => {
      if (this.shown.size) py_trees.canvas.on_window_resize(this.paper)
    })
  }

  /** Draw these behaviours, each before those below it. */
  show(behaviours) {
    const order = behaviours.map((one) => one.number).join()
    this.paper.freeze()
    this.graph.startBatch('show')
    const fresh = order === this.order ? [] : this.match(behaviours)
    for (const state of behaviours) this.update(this.shown.get(state.number), state)
    if (order !== this.order) {
      this.order = order
      this.place(behaviours)
    }
    this.graph.stopBatch('show')
    this.paper.updateViews()
    if (fresh.length && this.graph.get('scale_content_to_fit')) this.fit()
    this.paper.unfreeze()
  }

  /**
   * Choose a scale at which everything is seen.
   *
   * Every change of scale or origin moves all labels, so the scale goes in steps, and a large tree
   * stays where it is until it needs another step.
   */
  fit() {
    const { width, height } = this.paper.getComputedSize()
    const needed = Math.min(1, width / this.extent.width, height / this.extent.height)
    const scale = Math.max(SMALLEST, SCALE_STEP ** Math.floor(Math.log(needed) / Math.log(SCALE_STEP)))
    const same = this.paper.scale().sx === scale
    if (!same) this.paper.scale(scale, scale)
    if (same && this.shown.size > FEW) return
    this.paper.translate(Math.max(0, (width - this.extent.width * scale) / 2), 0)
  }

  /** Have the labels, which are HTML over the drawing, follow it; once a picture. */
  moveLabels() {
    if (this.moving) return
    this.moving = true
    requestAnimationFrame(() => {
      this.moving = false
      this.paper.el.classList.toggle('far', this.paper.scale().sx < READABLE)
      for (const { cell } of this.shown.values()) this.paper.findViewByModel(cell)?.updateBox()
    })
  }

  /** Mark one behaviour as chosen. */
  mark(number) {
    for (const [key, item] of this.shown) {
      const chosen = key === number
      if (item.cell.get('selected') === chosen) continue
      item.cell.set('selected', chosen)
      item.cell.attr('box/fill', chosen ? '#704214' : '#333333')
    }
  }

  /** Add what is missing and remove what has gone; return what was added. */
  match(behaviours) {
    const wanted = new Set(behaviours.map((one) => one.number))
    for (const [number, item] of this.shown) {
      if (wanted.has(number)) continue
      item.cell.remove() // and its edges with it
      this.shown.delete(number)
    }
    const fresh = []
    for (const state of behaviours) {
      if (this.shown.has(state.number)) continue
      const item = { state: null, cell: this.box(state), edge: null }
      const parent = this.shown.get(state.parent)
      if (parent) {
        item.edge = new joint.shapes.standard.Link({
          source: { id: parent.cell.id },
          target: { id: item.cell.id },
          attrs: { line: { stroke: EDGES[state.status] || DARK, targetMarker: { type: 'none' } } },
        })
      }
      this.shown.set(state.number, item)
      fresh.push(item)
    }
    this.graph.addCells(fresh.flatMap((item) => (item.edge ? [item.cell, item.edge] : [item.cell])))
    return fresh
  }

  /** Make the library's box for a behaviour. */
  box(state) {
    const box = py_trees.canvas.create_node({
      behaviour_id: state.number,
      name: escaped(state.name),
      colour: COLOURS[state.kind] || PLAIN,
      details: escaped(state.feedback || state.kind),
      status: STATUSES[state.status] || 'INVALID',
      visited: state.status !== 'waiting',
      data: { Kind: state.kind, Feedback: escaped(state.feedback) },
    })
    box.resize(WIDTH, HEIGHT)
    return box
  }

  /** Draw what is different of a behaviour. */
  update(item, state) {
    const before = item.state
    item.state = state
    if (!before || before === state) return
    const box = this.box(state) // has the library's style for what is now
    const { name, status, visited, data, details, elided_details } = box.attributes
    item.cell.set({ name, status, visited, data, details, elided_details })
    if (before.status === state.status) return
    item.cell.attr('box/opacity', box.attr('box/opacity'))
    item.cell.attr('box/filter', box.attr('box/filter'))
    item.cell.attr('type/opacity', box.attr('type/opacity'))
    if (item.edge) item.edge.attr('line/stroke', EDGES[state.status] || DARK)
  }

  /** Put everything in its place: what an agent does in a column, subtrees side by side. */
  place(behaviours) {
    const below = new Map(behaviours.map((one) => [one.number, []]))
    for (const one of behaviours) if (one.parent) below.get(one.parent)?.push(one)
    const at = new Map()
    let right = MARGIN
    const put = (one, top) => {
      const children = below.get(one.number)
      const left = right
      const leaves = children.filter((child) => !below.get(child.number).length && child.kind !== 'agent')
      const subtrees = children.filter((child) => !leaves.includes(child))
      leaves.forEach((leaf, index) => at.set(leaf.number, [right, top + ROW + index * STACK]))
      if (leaves.length) right += WIDTH + GAP
      for (const child of subtrees) put(child, top + ROW)
      if (!children.length) right += WIDTH + GAP
      at.set(one.number, [(left + right - WIDTH - GAP) / 2, top])
    }
    if (behaviours.length) put(behaviours[0], MARGIN)
    const bottom = Math.max(0, ...[...at.values()].map(([, top]) => top))
    this.extent = { width: right - GAP + MARGIN, height: bottom + HEIGHT + MARGIN }
    for (const [number, [x, y]] of at) {
      const item = this.shown.get(number)
      const { x: oldX, y: oldY } = item.cell.position()
      if (oldX !== x || oldY !== y) item.cell.position(x, y)
      this.route(item, at.get(item.state.parent), [x, y])
    }
  }

  /** Lead an edge down from the parent and to the top of the child. */
  route(item, from, to) {
    if (!item.edge || !from) return
    const middle = from[1] + HEIGHT + (ROW - HEIGHT) / 2
    const column = to[0] - GAP / 2 // of a column the edges run at its left
    const stacked = to[1] > from[1] + ROW
    const way = stacked
      ? [{ x: from[0] + WIDTH / 2, y: middle }, { x: column, y: middle }, { x: column, y: to[1] + HEIGHT / 2 }]
      : [{ x: from[0] + WIDTH / 2, y: middle }, { x: to[0] + WIDTH / 2, y: middle }]
    const key = way.map(({ x, y }) => `${x} ${y}`).join()
    if (item.way === key) return // routing an edge takes the browser longer than anything else here
    item.way = key
    item.edge.source({ id: item.edge.source().id, selector: 'box', anchor: { name: 'bottom' } })
    item.edge.target({ id: item.cell.id, selector: 'box', anchor: { name: stacked ? 'left' : 'top' } })
    item.edge.vertices(way)
  }
}
