// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// A person corrects where the robot believes a thing to be.

import { $ } from 'viewer/dom.js'

const NOWHERE = 'nowhere'
const IN_ROOM = 'in_room'
const WORDS = { inside: 'is inside', on: 'is on', in_room: 'is somewhere in', nowhere: 'is not known to be anywhere' }

export class BeliefForm {
  /** @param {(object) => void} tell gets name, relation and place. */
  constructor(tell) {
    this.key = ''
    $('relation').replaceChildren(...Object.entries(WORDS).map(([value, text]) => new Option(text, value)))
    $('relation').onchange = () => this.places()
    $('belief-form').onsubmit = (event) => {
      event.preventDefault()
      const relation = $('relation').value
      tell({ name: $('thing').value, relation, place: relation === NOWHERE ? '' : $('place').value })
      $('belief').open = false
    }
  }

  /** Offer what is known now; a choice that was made stays. */
  show(memory, able) {
    const things = (memory?.objects ?? []).filter((one) => !one.furniture && one.where !== 'held').map((one) => one.name).sort()
    $('belief').hidden = !able || !things.length
    if ($('belief').hidden || !$('belief').open) return
    const key = [memory.rooms, things, memory.objects.map((one) => one.name)].join('|')
    if (key === this.key) return
    this.key = key
    this.rooms = memory.rooms
    this.names = memory.objects.map((one) => one.name).sort()
    fill($('thing'), things)
    this.places()
  }

  places() {
    const relation = $('relation').value
    $('place').hidden = relation === NOWHERE
    fill($('place'), relation === IN_ROOM ? this.rooms : this.names)
  }
}

function fill(select, names) {
  const chosen = select.value
  select.replaceChildren(...names.map((name) => new Option(name, name)))
  if (names.includes(chosen)) select.value = chosen
}
