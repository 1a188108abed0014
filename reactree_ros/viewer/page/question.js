// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// The planner's question: an answer, one of its options, or one that is to be completed.

import { $, make } from 'viewer/dom.js'

const OPEN = '…' // ends an option that is to be completed
const EXPAND = 'Expand: '
const ARM_MS = 600 // a click that was meant for the question before does not answer the new one

export class QuestionForm {
  /** @param {(text) => void} reply sends an answer; an empty one declines. */
  constructor(reply) {
    this.reply = reply
    this.opened = ''
    this.filters = false
    $('question-form').onsubmit = (event) => {
      event.preventDefault()
      this.give()
    }
    $('answer').oninput = () => this.filter()
    $('decline').onclick = () => this.reply('')
  }

  show(state) {
    const choices = state.options.map((option) => {
      const button = make('button', '', option)
      button.type = 'button'
      button.onclick = () => (option.endsWith(OPEN) ? this.complete(option.slice(0, -1)) : this.reply(option))
      return button
    })
    $('options').replaceChildren(...choices)
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
}
