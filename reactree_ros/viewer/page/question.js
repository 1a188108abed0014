// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// The planner's question: an answer, one of its options, or one that is to be completed.

import { $, make } from 'viewer/dom.js'

const OPEN = '…' // ends an option that is to be completed
const EXPAND = 'Expand: '
const PART = 'part of a name; arrows and Enter choose'
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
    $('question-form').addEventListener('keydown', (event) => this.key(event))
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
    $('answer').placeholder = this.filters ? PART : ''
    $('answer').value = $('subgoals').value = ''
    $('subgoals').hidden = true
    const fields = [...$('question-form').elements]
    for (const field of fields) field.disabled = true
    clearTimeout(this.arming)
    this.arming = setTimeout(() => {
      for (const field of fields) field.disabled = false
      const elsewhere = document.activeElement?.matches('input, textarea') && !$('question-form').contains(document.activeElement)
      if ((!choices.length || this.filters) && !elsewhere) $('answer').focus()
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
    else this.visible()[0]?.focus() // a part of a name decides nothing
  }

  /** Return the options that are shown. */
  visible() {
    return [...$('options').children].filter((button) => !button.hidden)
  }

  /** Move among the options by arrows; leave one that is being completed by Escape. */
  key(event) {
    const list = this.visible()
    const at = list.indexOf(document.activeElement)
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.give()
    else if (event.key === 'Escape' && this.filters) this.back()
    else if (document.activeElement === $('subgoals')) return
    else if (event.key === 'ArrowDown' || (event.key === 'ArrowRight' && at >= 0)) list[Math.min(at + 1, list.length - 1)]?.focus()
    else if (event.key === 'ArrowUp' || (event.key === 'ArrowLeft' && at >= 0)) (at > 0 ? list[at - 1] : $('answer')).focus()
    else return
    event.preventDefault()
  }

  /** Offer all options again. */
  back() {
    this.opened = ''
    $('answer').value = ''
    $('answer').placeholder = PART
    $('answer').hidden = false
    $('subgoals').hidden = $('give').hidden = true
    this.filter()
    $('answer').focus()
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
