// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// A run on the page: its frames, and what was true at each of them.

const KEY_FRAMES = 50

/** What is true at one moment of a run. */
class Moment {
  constructor(tree = new Map(), memory = null) {
    this.tree = tree // behaviours by number
    this.memory = memory
  }

  after(frame) {
    if (frame.kind === 'memory') return new Moment(this.tree, frame)
    if (frame.kind !== 'tree') return this
    const tree = frame.whole ? new Map() : new Map(this.tree)
    for (const one of frame.changed) tree.set(one.number, one)
    return new Moment(tree, this.memory)
  }
}

export class Run {
  constructor(name) {
    this.name = name
    this.frames = []
    this.keys = [new Moment()] // the moments before every KEY_FRAMES-th frame
    this.latest = new Moment()
  }

  add(frames) {
    for (const frame of frames) {
      this.frames.push(frame)
      this.latest = this.latest.after(frame)
      if (this.frames.length % KEY_FRAMES === 0) this.keys.push(this.latest)
    }
  }

  /** Return what is true after so many frames. */
  after(count) {
    if (count >= this.frames.length) return this.latest
    let moment = this.keys[Math.floor(count / KEY_FRAMES)]
    for (let at = count - (count % KEY_FRAMES); at < count; at++) moment = moment.after(this.frames[at])
    return moment
  }

  /** Return the events among the first frames; those of one behaviour if it is named. */
  events(count, behaviour = 0) {
    return this.frames
      .slice(0, count)
      .filter((frame) => frame.kind === 'event' && (!behaviour || frame.behaviour === behaviour))
  }

  get ended() {
    return this.frames.some((frame) => frame.kind === 'event' && frame.what === 'ended')
  }
}
