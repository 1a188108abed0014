// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// The robot's camera, if the viewer knows its topic: the latest picture, while somebody looks.

const NEXT_MS = 500
const AGAIN_MS = 3000

export class Camera {
  /** @param {boolean} served whether a server may have pictures. */
  constructor(image, served) {
    this.image = image
    this.wanted = false
    this.count = 0
    image.onload = () => { image.hidden = !this.wanted; this.later(NEXT_MS) }
    image.onerror = () => { image.hidden = true; this.later(AGAIN_MS) }
    if (served) this.ask()
  }

  async ask() {
    const answer = await fetch('/camera').catch(() => null)
    if (answer && answer.status !== 204) this.next()
  }

  later(time) {
    setTimeout(() => this.next(), time)
  }

  next() {
    if (this.wanted) this.image.src = `/camera?${this.count++}`
    else this.later(NEXT_MS)
  }

  /** Show pictures, or none: of what is past there are none. */
  show(wanted) {
    this.wanted = wanted
    if (!wanted) this.image.hidden = true
  }
}
