// Copyright 2026 the reactree_ros authors
// SPDX-License-Identifier: Apache-2.0

// A simulation in 3D, as it moved: shapes on bodies (reactree_ros/sim/physics/viewing/shapes.py).
// Drawn by WebGL itself: boxes, cylinders, spheres and hulls with a shadow need no more than this
// file, and three.js would be 0.7 MB in the page and in every export.

import { make } from 'viewer/dom.js'

const TWEEN_MS = 200 // about as long as between two recorded poses
const ROUND = 24 // sides of what is round
const SUN = normal([-0.4, -0.5, 1.2])
const FIELD = 0.7 // of view, vertical (rad)
const VERTEX = `attribute vec3 point, upright;
uniform mat4 view, pose; uniform vec3 scale; uniform float flat_; uniform vec3 sun;
varying vec3 turned, spot;
void main() {
  spot = (pose * vec4(point * scale, 1.0)).xyz;
  if (flat_ > 0.5) spot = vec3(spot.xy - sun.xy * spot.z / sun.z, 0.002);
  turned = mat3(pose) * (upright / scale);
  gl_Position = view * vec4(spot, 1.0);
}`
const FRAGMENT = `precision highp float;
uniform vec4 colour; uniform vec3 eye, sun, back; uniform float floor_, flat_, dark;
varying vec3 turned, spot;
void main() {
  if (flat_ > 0.5) { gl_FragColor = colour; return; }
  vec3 facing = normalize(turned), look = normalize(eye - spot);
  if (floor_ > 0.5) {
    vec2 near = abs(fract(spot.xy * 2.0 + 0.5) - 0.5) / (0.0035 * length(eye - spot) + 0.004);
    float line = 1.0 - min(min(near.x, near.y), 1.0);
    vec3 shade = mix(colour.rgb, back, smoothstep(2.5, 6.0, length(spot.xy)));
    gl_FragColor = vec4(mix(shade, back * (dark > 0.5 ? 1.6 : 0.9), 0.5 * line), 1.0);
    return;
  }
  float light = 0.5 + 0.18 * facing.z + 0.45 * max(dot(facing, sun), 0.0);
  float shine = 0.18 * pow(max(dot(reflect(-sun, facing), look), 0.0), 24.0);
  gl_FragColor = vec4(colour.rgb * light * (dark > 0.5 ? 0.85 : 1.0) + shine, colour.a);
}`
const UNIFORMS = ['view', 'pose', 'scale', 'colour', 'eye', 'sun', 'back', 'floor_', 'flat_', 'dark']

export class Scene3D {
  /** @param {(string) => void} find is given the name of what a person chooses. */
  constructor(root, find) {
    this.root = root
    this.scene = this.target = this.shown = null
    this.turn = { yaw: -1.2, pitch: 0.6, far: 3.2 }
    this.canvas = make('canvas')
    this.names = make('div', 'names')
    root.append(this.canvas, this.names)
    Object.assign(this.canvas, { tabIndex: 0, role: 'img' })
    this.canvas.setAttribute('aria-label', 'the simulation in 3D: arrow keys turn it, plus and minus zoom')
    this.names.addEventListener('click', (event) => event.target.dataset.name && find(event.target.dataset.name))
    new ResizeObserver(() => this.draw()).observe(this.canvas)
    this.dark = matchMedia('(prefers-color-scheme: dark)')
    this.dark.addEventListener('change', () => this.draw())
    this.still = matchMedia('(prefers-reduced-motion: reduce)')
    this.listen()
  }

  listen() {
    const { canvas } = this
    canvas.addEventListener('pointerdown', (event) => canvas.setPointerCapture(event.pointerId))
    canvas.addEventListener('pointermove', (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) this.move(-event.movementX * 0.01, event.movementY * 0.01)
    })
    canvas.addEventListener('wheel', (event) => { event.preventDefault(); this.move(0, 0, event.deltaY * 0.001) }, { passive: false })
    canvas.addEventListener('keydown', (event) => {
      const keys = { ArrowLeft: [0.15, 0], ArrowRight: [-0.15, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1], '+': [0, 0, -0.15], '-': [0, 0, 0.15] }
      if (!keys[event.key]) return
      event.preventDefault()
      event.stopPropagation() // these keys move in time elsewhere
      this.move(...keys[event.key])
    })
  }

  move(yaw, pitch, far = 0) {
    const { turn } = this
    turn.yaw += yaw
    turn.pitch = Math.max(0.05, Math.min(1.5, turn.pitch + pitch))
    turn.far = Math.max(0.6, Math.min(12, turn.far * Math.exp(far)))
    this.draw()
  }

  /** Show a moment of a run: the scene, the positions of its joints, and what is held. */
  show({ scene, pose, memory }) {
    this.root.hidden = !scene || !pose
    if (this.root.hidden) return
    if (scene !== this.scene && !this.begins(scene)) return
    this.held = new Set((memory?.objects || []).filter((one) => one.where === 'held').map((one) => one.name))
    if (pose === this.target) return
    const jump = !this.shown || this.still.matches || this.shown.length !== pose.length
    this.from = jump ? pose : this.shown
    this.target = pose
    this.since = performance.now()
    this.draw()
  }

  /** Take another scene; return whether it can be drawn. */
  begins(scene) {
    try {
      if (scene !== this.refused && this.begin(scene)) return true
    } catch (error) { // whoever publishes it may be wrong; the rest of the page goes on
      console.warn(error)
    }
    this.refused = scene
    this.root.hidden = true
    return false
  }

  begin(scene) {
    this.gl ||= this.canvas.getContext('webgl', { antialias: true, alpha: false, stencil: true })
    if (!this.gl) return false
    this.shown = this.target = null
    this.program ||= linked(this.gl)
    const loaded = scene.meshes.map((mesh) => buffer(this.gl, hull(mesh)))
    this.unit ||= { box: buffer(this.gl, box()), cylinder: buffer(this.gl, cylinder()), sphere: buffer(this.gl, sphere()) }
    this.parts = scene.shapes.flatMap((shape) => parts(shape, this.unit, loaded))
    this.parts.sort((one, two) => two.colour[3] - one.colour[3]) // what one can see through comes last
    this.labels = scene.bodies.map((body, number) => ({ ...body, number })).filter((body) => body.kind).map((body) => {
      const button = make('button', body.kind, body.name.replace(/ 1$/, ''))
      button.type = 'button'
      button.dataset.name = body.name
      button.title = `search the tree for ${body.name}`
      return { ...body, button }
    })
    this.names.replaceChildren(...this.labels.map((one) => one.button))
    this.scene = scene
    return true
  }

  draw() {
    if (this.asked || !this.scene || !this.target || this.root.hidden) return
    this.asked = requestAnimationFrame(() => {
      this.asked = 0
      const share = this.from === this.target ? 1 : Math.min(1, (performance.now() - this.since) / TWEEN_MS)
      this.shown = share < 1 ? this.target.map((value, at) => this.from[at] + (value - this.from[at]) * share) : this.target
      if (this.canvas.clientWidth) this.paint()
      if (share < 1) this.draw()
    })
  }

  paint() {
    const { gl, canvas, turn, program } = this
    const [width, height] = [canvas.clientWidth, canvas.clientHeight]
    const ratio = Math.min(2, window.devicePixelRatio || 1)
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = width * ratio
      canvas.height = height * ratio
    }
    const style = getComputedStyle(canvas)
    const [back, floor] = [rgb(style.backgroundColor), rgb(style.borderTopColor)]
    const bodies = placed(this.scene.bodies, this.shown)
    const middle = [...bodies[this.scene.follow].slice(0, 2), 0.6]
    const far = turn.far * Math.max(1, Math.sqrt(height / width))
    const eye = add(middle, scaled(far, [Math.cos(turn.pitch) * Math.cos(turn.yaw), Math.cos(turn.pitch) * Math.sin(turn.yaw), Math.sin(turn.pitch)]))
    const view = viewed(eye, middle, width / height)
    gl.viewport(0, 0, canvas.width, canvas.height)
    gl.clearColor(...back, 1)
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT)
    gl.enable(gl.DEPTH_TEST)
    gl.useProgram(program)
    const { at } = program
    gl.uniformMatrix4fv(at.view, false, view)
    gl.uniform3fv(at.eye, eye)
    gl.uniform3fv(at.sun, SUN)
    gl.uniform3fv(at.back, back)
    gl.uniform1f(at.dark, this.dark.matches)
    gl.uniform1f(at.floor_, 1)
    gl.uniform1f(at.flat_, 0)
    this.part({ mesh: this.unit.box, size: [8, 8, 0.001], colour: [...floor, 1] }, [0, 0, -0.002, 1, 0, 0, 0])
    gl.uniform1f(at.floor_, 0)
    const where = this.parts.map((part) => joined(bodies[part.body], part.at))
    gl.uniform1f(at.flat_, 1)
    gl.enable(gl.STENCIL_TEST) // no spot of the floor lies in two shadows
    gl.stencilFunc(gl.EQUAL, 0, 255)
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR)
    gl.enable(gl.BLEND)
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA)
    this.parts.forEach((part, index) => part.colour[3] === 1 && this.part({ ...part, colour: [0, 0, 0, 0.22] }, where[index]))
    gl.disable(gl.STENCIL_TEST)
    gl.uniform1f(at.flat_, 0)
    this.parts.forEach((part, index) => this.part(part, where[index]))
    gl.disable(gl.BLEND)
    this.label(bodies, view, eye, width, height)
  }

  part({ mesh, size, colour }, at) {
    const { gl, program } = this
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.points)
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0)
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12)
    gl.uniformMatrix4fv(program.at.pose, false, matrix(at))
    gl.uniform3fv(program.at.scale, size)
    gl.uniform4fv(program.at.colour, colour)
    gl.drawArrays(gl.TRIANGLES, 0, mesh.count)
  }

  /** Put the names above what they name; where two would overlap, the nearer one stays. */
  label(bodies, view, eye, width, height) {
    const seen = this.labels.map((one) => {
      const place = bodies[one.number]
      const spot = add(place, turned(place.slice(3), [0, 0, one.top]))
      const [x, y, , w] = times(view, [...spot, 1])
      const rank = (this.held.has(one.name) ? 0 : one.kind === 'thing' ? 100 : 200) + Math.hypot(...add(spot, scaled(-1, eye)))
      return { ...one, x: (x / w + 1) / 2 * width, y: (1 - y / w) / 2 * height, inside: w > 0, rank }
    })
    const taken = []
    for (const one of seen.sort((a, b) => a.rank - b.rank)) {
      const half = 4 + one.button.textContent.length * 3.2
      const free = one.inside && one.x > half && one.x < width - half && one.y > 18 && one.y < height
        && !taken.some(([x, y, other]) => Math.abs(x - one.x) < half + other && Math.abs(y - one.y) < 16)
      one.button.hidden = !free
      if (!free) continue
      taken.push([one.x, one.y, half])
      one.button.classList.toggle('held', this.held.has(one.name))
      one.button.style.transform = `translate(${one.x}px, ${one.y}px) translate(-50%, -100%)`
    }
  }
}

/** Return where each body is, [x, y, z, and the quaternion w, x, y, z], as MuJoCo computes it. */
export function placed(bodies, positions) {
  const found = []
  for (const body of bodies) {
    let at = found.length ? joined(found[body.parent], body.at) : body.at
    for (const [kind, first, axis, anchor] of body.joints) {
      if (kind === 'free') at = [...positions.slice(first, first + 3), ...normal(positions.slice(first + 3, first + 7))]
      else if (kind === 'slide') at = [...add(at, turned(at.slice(3), scaled(positions[first], axis))), ...at.slice(3)]
      else {
        const half = positions[first] / 2
        const now = multiplied(at.slice(3), [Math.cos(half), ...scaled(Math.sin(half), axis)])
        const fixed = add(at, turned(at.slice(3), anchor))
        at = [...add(fixed, scaled(-1, turned(now, anchor))), ...now]
      }
    }
    found.push(at)
  }
  return found
}

/** Return what one shape is drawn of: meshes of unit size, scaled. */
function parts({ body, kind, size, at, colour, mesh }, unit, loaded) {
  const made = (shape, scale, up = 0) => ({ body, mesh: shape, size: scale, at: joined(at, [0, 0, up, 1, 0, 0, 0]), colour })
  if (kind === 'mesh') return [made(loaded[mesh], [1, 1, 1])]
  if (kind === 'box') return [made(unit.box, size)]
  const [radius, half] = size
  if (kind === 'sphere') return [made(unit.sphere, [radius, radius, radius])]
  const side = made(unit.cylinder, [radius, radius, half])
  const end = (up) => made(unit.sphere, [radius, radius, radius], up)
  return kind === 'capsule' ? [side, end(half), end(-half)] : [side]
}

// Meshes: triangles, of each corner the point and the normal.

function face(points, normals = null) {
  const [a, b, c] = points
  const across = normal(cross(add(b, scaled(-1, a)), add(c, scaled(-1, a))))
  return points.flatMap((point, at) => [...point, ...(normals ? normals[at] : across)])
}

function hull({ points, faces }) {
  const corner = (at) => points.slice(3 * faces[at], 3 * faces[at] + 3)
  return Array.from({ length: faces.length / 3 }, (_, at) => face([corner(3 * at), corner(3 * at + 1), corner(3 * at + 2)])).flat()
}

function box() {
  const sides = []
  for (const axis of [0, 1, 2]) {
    for (const side of [-1, 1]) {
      const corner = (u, v) => [0, 1, 2].map((one) => (one === axis ? side : one === (axis + 1) % 3 ? u : v))
      const [a, b, c, d] = [corner(-1, -side), corner(1, -side), corner(1, side), corner(-1, side)]
      sides.push(...face([a, b, c]), ...face([a, c, d]))
    }
  }
  return sides
}

function cylinder() {
  const sides = []
  const at = (number, z) => [Math.cos(2 * Math.PI * number / ROUND), Math.sin(2 * Math.PI * number / ROUND), z]
  for (let number = 0; number < ROUND; number++) {
    const [a, b, c, d] = [at(number, -1), at(number + 1, -1), at(number + 1, 1), at(number, 1)]
    const out = (point) => [point[0], point[1], 0]
    sides.push(...face([a, b, c], [a, b, c].map(out)), ...face([a, c, d], [a, c, d].map(out)))
    sides.push(...face([d, c, [0, 0, 1]]), ...face([b, a, [0, 0, -1]]))
  }
  return sides
}

function sphere() {
  const sides = []
  const at = (row, number) => {
    const [up, round] = [Math.PI * row / (ROUND / 2), 2 * Math.PI * number / ROUND]
    return [Math.sin(up) * Math.cos(round), Math.sin(up) * Math.sin(round), Math.cos(up)]
  }
  for (let row = 0; row < ROUND / 2; row++) {
    for (let number = 0; number < ROUND; number++) {
      const [a, b, c, d] = [at(row, number), at(row, number + 1), at(row + 1, number + 1), at(row + 1, number)]
      sides.push(...face([a, b, c], [a, b, c]), ...face([a, c, d], [a, c, d]))
    }
  }
  return sides
}

function buffer(gl, corners) {
  const points = gl.createBuffer()
  gl.bindBuffer(gl.ARRAY_BUFFER, points)
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(corners), gl.STATIC_DRAW)
  return { points, count: corners.length / 6 }
}

function linked(gl) {
  const program = gl.createProgram()
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind)
    gl.shaderSource(shader, text)
    gl.compileShader(shader)
    gl.attachShader(program, shader)
  }
  for (const [place, name] of ['point', 'upright'].entries()) gl.bindAttribLocation(program, place, name)
  gl.linkProgram(program)
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program))
  for (const place of [0, 1]) gl.enableVertexAttribArray(place)
  program.at = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]))
  return program
}

// Vectors, quaternions (w, x, y, z), and matrices in columns.

function add(a, b) { return [a[0] + b[0], a[1] + b[1], a[2] + b[2]] }
function scaled(by, a) { return a.map((one) => by * one) }
function cross(a, b) { return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]] }
function normal(a) { return scaled(1 / (Math.hypot(...a) || 1), a) }
function rgb(text) { return text.match(/[\d.]+/g).slice(0, 3).map((one) => one / 255) }

function multiplied([a, b, c, d], [e, f, g, h]) {
  return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e]
}

function turned([w, ...v], a) {
  const twice = scaled(2, cross(v, a))
  return add(add(a, scaled(w, twice)), cross(v, twice))
}

function joined(at, inside) {
  const turn = at.slice(3)
  return [...add(at, turned(turn, inside)), ...multiplied(turn, inside.slice(3))]
}

function matrix(at) {
  const turn = at.slice(3)
  return new Float32Array([...[[1, 0, 0], [0, 1, 0], [0, 0, 1]].flatMap((axis) => [...turned(turn, axis), 0]), ...at.slice(0, 3), 1])
}

function times(columns, a) {
  return [0, 1, 2, 3].map((row) => a.reduce((sum, one, column) => sum + one * columns[4 * column + row], 0))
}

/** Return the matrix from the world to the picture. */
function viewed(eye, middle, shape) {
  const back = normal(add(eye, scaled(-1, middle)))
  const right = normal(cross([0, 0, 1], back))
  const up = cross(back, right)
  const [near, far, tall] = [0.05, 40, 1 / Math.tan(FIELD / 2)]
  const dot = (a) => -(a[0] * eye[0] + a[1] * eye[1] + a[2] * eye[2])
  const rows = [[...right, dot(right)], [...up, dot(up)], [...back, dot(back)]]
  const [x, y, z] = [scaled(tall / shape, rows[0]), scaled(tall, rows[1]), rows[2]]
  const depth = scaled(-(far + near) / (far - near), z)
  depth[3] -= 2 * far * near / (far - near)
  return new Float32Array([0, 1, 2, 3].flatMap((column) => [x[column], y[column], depth[column], -z[column]]))
}
