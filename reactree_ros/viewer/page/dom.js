// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// Elements of the page: texts go in as texts, never as HTML.

export const $ = (id) => document.getElementById(id)

/** Make an element with a class and children, which are elements or texts. */
export function make(tag, className = '', ...children) {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children)
  return element
}

/** Make a part that unfolds; what is in it is made when it is opened first. */
export function unfolding(title, content) {
  const part = make('details', '', make('summary', '', title))
  part.addEventListener('toggle', () => { if (part.open && !part.children[1]) part.append(...content()) })
  return part
}

export function seconds(value) {
  if (value < 60) return `${value.toFixed(1)} s`
  const minutes = Math.floor(value / 60)
  const rest = String(Math.floor(value % 60)).padStart(2, '0')
  return minutes < 60 ? `${minutes}:${rest} min` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')} h`
}

export function plural(count, word) {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`
}
