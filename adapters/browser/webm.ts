/** Ids of https://www.matroska.org/technical/elements.html */
const segment = 0x18538067
const info = 0x1549a966
const duration = 0x4489

interface Element_ {
  id: number
  /** Where its size is written, and in how many bytes. */
  size_at: number
  size_length: number
  start: number
  /** Null where it is not known yet, as in a live stream. */
  size: number | null
}

/** A live recording does not say how long it is, and players could not seek in it: that is written into its head. */
export function withDuration(bytes: Uint8Array, seconds: number): Uint8Array {
  const outer = childOf(bytes, segment, 0, bytes.length)
  if (!outer) return bytes
  const head = childOf(bytes, info, outer.start, bytes.length)
  if (!head || head.size === null) return bytes
  const end = head.start + head.size
  const milliseconds = seconds * 1_000
  const known = childOf(bytes, duration, head.start, end)
  if (known) return patched(bytes, known, milliseconds)
  if (outer.size !== null) return bytes
  const added = new Uint8Array([0x44, 0x89, 0x88, ...float(milliseconds)])
  return joined([
    bytes.subarray(0, head.size_at),
    sizeOf(head.size + added.length),
    bytes.subarray(head.start, end),
    added,
    bytes.subarray(end),
  ])
}

function patched(bytes: Uint8Array, { start, size }: Element_, milliseconds: number): Uint8Array {
  const copy = bytes.slice()
  const view = new DataView(copy.buffer)
  if (size === 8) view.setFloat64(start, milliseconds)
  if (size === 4) view.setFloat32(start, milliseconds)
  return copy
}

function childOf(bytes: Uint8Array, wanted: number, from: number, until: number): Element_ | null {
  for (let at = from; at < until; ) {
    const element = elementAt(bytes, at)
    if (!element) return null
    if (element.id === wanted) return element
    if (element.size === null) return null
    at = element.start + element.size
  }
  return null
}

function elementAt(bytes: Uint8Array, at: number): Element_ | null {
  const idLength = lengthOf(bytes[at])
  const size_at = at + idLength
  const size_length = lengthOf(bytes[size_at])
  if (idLength === 0 || idLength > 4 || size_length === 0) return null
  const id = bytes.subarray(at, size_at).reduce((value, byte) => value * 256 + byte, 0)
  const [first = 0, ...rest] = bytes.subarray(size_at, size_at + size_length)
  const top = first & (0xff >> size_length)
  const unknown = top === 0xff >> size_length && rest.every((byte) => byte === 0xff)
  const size = unknown ? null : rest.reduce((value, byte) => value * 256 + byte, top)
  return { id, size_at, size_length, start: size_at + size_length, size }
}

/** Bytes of a number whose first byte tells its length by its leading zeros. */
const lengthOf = (first: number | undefined): number => (first ? Math.clz32(first) - 23 : 0)

/** In eight bytes, which always suffice. */
function sizeOf(size: number): Uint8Array {
  const written = new Uint8Array(8)
  new DataView(written.buffer).setBigUint64(0, BigInt(size))
  written[0] = 1
  return written
}

function float(value: number): Uint8Array {
  const written = new Uint8Array(8)
  new DataView(written.buffer).setFloat64(0, value)
  return written
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
