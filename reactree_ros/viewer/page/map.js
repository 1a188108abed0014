// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// The world as the robot knows it: rooms, what stands in them, and what lies where.

import { make } from 'viewer/dom.js'

export class WorldMap {
  /** @param {(string) => void} find is given the name of what a person chooses. */
  constructor(root, find) {
    this.root = root
    root.addEventListener('click', (event) => {
      const named = event.target.closest('[data-name]')
      if (named) find(named.dataset.name)
    })
    this.memory = undefined
    this.rooms = new Map() // {key, box} by name
    this.here = ''
    this.grid = null
  }

  show(moment) {
    const { memory, before } = moment
    if (memory === this.memory) return
    this.memory = memory
    if (!memory || !memory.objects.length) {
      this.root.replaceChildren(make('p', 'dim', 'The robot knows nothing of its surroundings yet.'))
      return
    }
    this.was = new Map((before ? before.objects : []).map((one) => [one.name, place(one)]))
    this.first = !before || !before.objects.length
    const names = new Set([...(memory.rooms || []), ...memory.objects.map((one) => one.room)])
    const held = memory.objects.filter((one) => one.where === 'held')
    const rooms = [...names].map((name) => this.kept(name, memory)).filter(Boolean)
    if (this.grid?.parentElement !== this.root) this.root.replaceChildren(make('p'), (this.grid = make('div', 'rooms')))
    this.root.firstElementChild.replaceWith(this.robot(memory, held))
    this.arrange(rooms)
  }

  /** Have these boxes in the grid; those that are there stay, so that they need no new layout. */
  arrange(boxes) {
    boxes.forEach((box, at) => {
      const there = this.grid.children[at]
      if (!there) this.grid.append(box)
      else if (there !== box) there.replaceWith(box)
    })
    while (this.grid.children.length > boxes.length) this.grid.lastElementChild.remove()
  }

  /** Bring the room of the robot into view when it has come to another. */
  reveal() {
    const here = this.memory?.room || ''
    if (here === this.here) return
    this.here = here
    this.root.querySelector('.here')?.scrollIntoView({ block: 'nearest' })
  }

  /** Return the box of a room, made anew only if something in it is different. */
  kept(name, memory) {
    const here = name === memory.room
    const all = memory.objects.filter((one) => one.room === name && one.where !== 'held')
    const marks = this.first ? [] : all.map((one) => this.was.get(one.name) !== place(one))
    const key = [here && memory.place, here, marks.join(), ...all.map((one) => one.name + place(one))].join('|')
    const known = this.rooms.get(name)
    if (known?.key === key) return known.box
    const box = this.room(name, memory, all)
    this.rooms.set(name, { key, box })
    return box
  }

  robot(memory, held) {
    const where = [memory.room, memory.place && `at ${memory.place}`].filter(Boolean).join(', ')
    const line = make('p', 'robot', make('b', '', 'Robot '), where ? `in ${where}` : 'place unknown')
    line.append(held.length ? ' · holds ' : ' · holds nothing', ...held.map((one) => this.thing(one)))
    return line
  }

  room(name, memory, all) {
    if (!name && !all.length) return null
    const here = name === memory.room
    const on = new Map() // what lies on or in a thing
    for (const one of all) {
      const holder = one.where.replace(/^(on|inside) /, '')
      if (one.where) on.set(holder, [...(on.get(holder) || []), one])
    }
    const stands = all.filter((one) => !one.where)
    const listed = new Set(stands.map((one) => one.name))
    const full = stands.filter((one) => on.has(one.name) || (here && one.name === memory.place) )
    const loose = stands.filter((one) => !full.includes(one) && !one.furniture)
    const empty = stands.filter((one) => !full.includes(one) && one.furniture)
    const box = make('section', here ? 'room here' : 'room')
    box.append(make('h3', '', name || 'elsewhere', here ? make('span', 'tag', 'robot') : ''))
    if (!all.length) box.append(make('p', 'dim', 'not seen yet'))
    const holders = [...full, ...[...on.keys()].filter((key) => !listed.has(key) && !all.some((one) => one.name === key)).map((key) => ({ name: key, states: [], furniture: true }))]
    for (const one of holders) box.append(this.holder(one, on, here && one.name === memory.place))
    if (loose.length) box.append(make('div', 'loose', ...loose.map((one) => this.thing(one))))
    if (empty.length) box.append(make('p', 'dim', empty.map((one) => one.name + states(one)).join(', ')))
    return box
  }

  holder(one, on, at) {
    const line = make('div', at ? 'holder at' : 'holder', this.thing(one))
    const add = (name, depth) => {
      for (const child of on.get(name) || []) {
        const shown = this.thing(child, child.where.startsWith('inside') ? 'in ' : 'on ')
        shown.style.setProperty('--depth', depth)
        line.append(shown)
        if (depth < 4 && child.name !== name) add(child.name, depth + 1)
      }
    }
    add(one.name, 1)
    return line
  }

  thing(one, relation = '') {
    const changed = !this.first && one.where !== undefined && this.was.get(one.name) !== place(one)
    const kind = one.furniture ? 'furniture' : 'thing'
    const shown = make('span', `${kind}${changed ? ' changed' : ''}`, relation && make('small', '', relation), one.name, make('small', '', states(one)))
    shown.dataset.name = one.name
    return shown
  }
}

function states(one) {
  return one.states.length ? ` (${one.states.join(', ')})` : ''
}

function place(one) {
  return `${one.room}|${one.where}|${one.states.join()}`
}
