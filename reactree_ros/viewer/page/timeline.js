// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// One time line for all: when skills ran and the model thought, what failed, and where one is.

import { $, seconds } from 'viewer/dom.js'

const MODEL = new Set(['think', 'act', 'recall', 'expand', 'ask', 'done', 'failure', 'rejected', 'conditions'])
const LANE = 9
const TALL = 30
const PLAY_MS = 50
const SPEEDS = [1, 4, 16, 64]

export class TimeLine {
  /** @param {(seconds) => void} go shows another time. */
  constructor(go) {
    this.go = go
    this.canvas = $('marks')
    this.drawn = ''
    this.time = 0
    this.playing = 0
    $('time').addEventListener('input', () => { this.stop(); this.go(Number($('time').value) / 1000) })
    $('play').onclick = () => (this.playing ? this.stop() : this.play())
    new ResizeObserver(() => this.draw(true)).observe(this.canvas)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw(true))
  }

  show(run, now) {
    this.run = run
    this.time = now
    const slider = $('time')
    slider.max = Math.ceil(run.end * 1000)
    slider.value = Math.ceil(now * 1000)
    $('head').style.left = `${run.end ? (now / run.end) * 100 : 0}%`
    slider.setAttribute('aria-valuetext', `${seconds(now)} of ${seconds(run.end)}`)
    $('moment').textContent = `${seconds(now)} / ${seconds(run.end)}`
    this.draw()
  }

  play() {
    const speed = SPEEDS.find((one) => this.run.end / one < 120) || SPEEDS[SPEEDS.length - 1]
    let at = this.time >= this.run.end ? 0 : this.time
    this.playing = setInterval(() => {
      at += (PLAY_MS / 1000) * speed
      this.go(Math.min(at, this.run.end))
      if (at >= this.run.end) this.stop()
    }, PLAY_MS)
    $('play').textContent = '❚❚'
    $('play').setAttribute('aria-label', 'stop playing')
  }

  stop() {
    clearInterval(this.playing)
    this.playing = 0
    $('play').textContent = '▶'
    $('play').setAttribute('aria-label', 'play')
  }

  /** Draw the lanes, anew only if the run or the window has changed. */
  draw(anew = false) {
    if (!this.run) return
    const key = `${this.run.name} ${this.run.frames.length}`
    if (!anew && key === this.drawn) return
    this.drawn = key
    const width = this.canvas.clientWidth
    const ratio = window.devicePixelRatio || 1
    this.canvas.width = width * ratio
    this.canvas.height = TALL * ratio
    const pen = this.canvas.getContext('2d')
    pen.scale(ratio, ratio)
    pen.clearRect(0, 0, width, TALL)
    const style = getComputedStyle(document.documentElement)
    const colour = (name) => style.getPropertyValue(`--${name}`)
    const x = (time) => (this.run.end ? (time / this.run.end) * width : 0)
    const bar = (lane, from, to, paint) => {
      pen.fillStyle = colour(paint)
      pen.fillRect(x(from), lane * LANE + 2, Math.max(1, x(to) - x(from)), LANE - 2)
    }
    for (const one of this.run.latest.tree.values()) {
      const [from, to] = this.run.times.get(one.number) || []
      if (one.kind === 'skill' && from !== undefined) bar(1, from, Math.min(to, this.run.end), one.status === 'failed' ? 'bad' : 'good')
    }
    for (const at of this.run.at) {
      const event = this.run.frames[at]
      const cost = event.decision || {}
      if (MODEL.has(event.what)) bar(0, event.t - (cost.model_seconds || 0), event.t, event.what === 'expand' ? 'expand' : 'accent')
      if (event.what === 'rejected' || event.what === 'failure' || event.what === 'fault') bar(2, event.t, event.t + this.run.end / 300, 'bad')
      if (event.what === 'ask') bar(2, event.t, event.t + this.run.end / 300, 'warn')
    }
  }
}
