// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// A run on the page: its frames (reactree_ros/viewer/history.py), and what was true at each.

const KEY_FRAMES = 50

/** What is true at one moment of a run. */
class Moment {
  constructor(tree = new Map(), memory = null, before = null, scene = null, pose = null) {
    this.tree = tree // behaviours by number, each before those below it
    this.memory = memory
    this.before = before // what was known before that
    this.scene = scene // what is drawn of a simulation
    this.pose = pose // positions of its joints
  }

  copy() {
    return new Moment(new Map(this.tree), this.memory, this.before, this.scene, this.pose)
  }

  take(frame) {
    if (frame.kind === 'memory') [this.before, this.memory] = [this.memory, frame]
    else if (frame.kind === 'scene') [this.scene, this.pose] = [frame.scene, null]
    else if (frame.kind === 'pose') {
      this.pose = [...(this.pose || [])]
      for (let at = 0; at < frame.changed.length; at += 2) this.pose[frame.changed[at]] = frame.changed[at + 1]
    }
    if (frame.kind !== 'tree') return
    if (frame.whole) this.tree = new Map()
    for (const one of frame.changed) this.tree.set(one.number, one)
  }
}

export class Run {
  constructor(name) {
    this.name = name
    this.frames = []
    this.keys = [new Moment()] // the moments before every KEY_FRAMES-th frame
    this.latest = new Moment()
    this.facts = {}
    this.at = [] // positions of the events
    this.own = new Map() // positions of the events of each behaviour
    this.conditionsAt = []
    this.decisions = []
    this.byIndex = new Map() // those that were answered, by their places among these
    this.byNumber = new Map() // decisions with their prompts, by their numbers there
    this.phrases = [] // all that was ever on offer
    this.times = new Map() // [begun, ended] of each behaviour
    this.ended = false
  }

  add(frames) {
    for (const frame of frames) {
      const at = this.frames.push(frame) - 1
      this.latest.take(frame)
      if (this.frames.length % KEY_FRAMES === 0) this.keys.push(this.latest.copy())
      if (frame.kind === 'event') this.addEvent(frame, at)
      else if (frame.kind === 'tree') this.addTimes(frame)
      else if (frame.kind === 'decision') this.addDecision(frame)
      else if (frame.kind === 'about') Object.assign(this.facts, frame.facts)
    }
  }

  addEvent(frame, at) {
    this.at.push(at)
    if (!this.own.has(frame.behaviour)) this.own.set(frame.behaviour, [])
    this.own.get(frame.behaviour).push(at)
    if (frame.conditions) this.conditionsAt.push(at)
    if (frame.what === 'ended') this.ended = true
  }

  addTimes(frame) {
    for (const one of frame.changed) {
      const known = this.times.get(one.number)
      if (one.status === 'waiting') continue
      if (!known) this.times.set(one.number, [frame.t, one.status === 'running' ? Infinity : frame.t])
      else if (one.status !== 'running' && known[1] === Infinity) known[1] = frame.t
      else if (one.status === 'running') known[1] = Infinity
    }
  }

  /** Take a decision, or what came of one that is known. */
  addDecision(frame) {
    const known = frame.index ? this.byIndex.get(frame.index) : this.decisions.find((one) => one === frame)
    if (known) Object.assign(known, frame, { t: known.t })
    else this.decisions.push(frame)
    if (!known && frame.index) this.byIndex.set(frame.index, frame)
    this.addReasons(frame)
  }

  /** Take what the model was asked for a decision. */
  addReasons(frame) {
    if (!frame.prompt || this.byNumber.has(frame.number)) return
    this.phrases.push(...frame.fresh)
    frame.known = this.phrases.length
    this.byNumber.set(frame.number, frame)
  }

  /** Take the decisions again, with what was not known of them. */
  explain(frames) {
    for (const frame of frames) {
      this.addReasons(frame)
      this.addDecision(this.byNumber.get(frame.number) || frame)
    }
  }

  /** Return the whole prompt of a decision. */
  prompt(decision) {
    const { prompt } = decision
    if (!prompt || !('after' in prompt)) return prompt
    const earlier = this.prompt(this.byNumber.get(prompt.after))
    return { ...earlier, steps: [...earlier.steps, ...prompt.steps] }
  }

  /** Return what was on offer for a decision, and what of the run's phrases was masked. */
  offer(decision) {
    const offered = decision.offer.flatMap(([first, last]) => this.phrases.slice(first, last + 1))
    const have = new Set(offered)
    return { offered, masked: this.phrases.slice(0, decision.known).filter((one) => !have.has(one)) }
  }

  get end() {
    return this.frames.length ? this.frames[this.frames.length - 1].t : 0
  }

  /** Return what is true after so many frames. */
  after(count) {
    if (count >= this.frames.length) return this.latest
    const moment = this.keys[Math.floor(count / KEY_FRAMES)].copy()
    for (let at = count - (count % KEY_FRAMES); at < count; at++) moment.take(this.frames[at])
    return moment
  }

  /** Return how many frames there are up to a time, in seconds. */
  count(time) {
    return below(this.frames.length, (at) => this.frames[at].t <= time)
  }

  /** Return the events among the first frames; those of one behaviour if it is named. */
  events(count, behaviour = 0) {
    const at = behaviour ? this.own.get(behaviour) || [] : this.at
    return at.slice(0, below(at.length, (index) => at[index] < count)).map((index) => this.frames[index])
  }

  /** Return the last event among the first frames. */
  lastEvent(count, at = this.at) {
    const found = below(at.length, (index) => at[index] < count)
    return found ? this.frames[at[found - 1]] : null
  }

  conditions(count) {
    return this.lastEvent(count, this.conditionsAt)?.conditions || []
  }

  /** Return the position of the next event, or of the one before. */
  step(count, direction) {
    const passed = below(this.at.length, (index) => this.at[index] < count)
    if (direction > 0) return passed < this.at.length ? this.at[passed] + 1 : this.frames.length
    const last = passed && this.at[passed - 1] + 1 === count ? passed - 2 : passed - 1
    return last >= 0 ? this.at[last] + 1 : 0
  }

  /** Return how many events two runs have in common at their beginnings. */
  common(other) {
    const most = Math.min(this.at.length, other.at.length)
    const same = (index) => {
      const [one, two] = [this.frames[this.at[index]], other.frames[other.at[index]]]
      return one.what === two.what && one.text === two.text && one.behaviour === two.behaviour
    }
    let count = 0
    while (count < most && same(count)) count++
    return count
  }
}

/** Return how many of the first are true; after these none is. */
function below(size, holds) {
  let [low, high] = [0, size]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}
