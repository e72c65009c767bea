import { existsSync, readFileSync } from 'node:fs'

// File format of SQLite, sections 4.1 and 4.2, and walformat.html, section 2.1, for the index (`-shm`).

const headerBytes = 32
const frameHeaderBytes = 24

interface Log {
  /** Differ each time the log is restarted. */
  salts: string
  /** Frames whose checksums are right, from the first one on. */
  sound: number
  /** A later frame belongs to the same log: a crash never leaves a gap. */
  gap: boolean
}

/**
 * What the write-ahead log lost after an unclean stop, judged before the database is opened; null if nothing. SQLite
 * itself silently drops everything from the first damaged frame on.
 */
export function lostLog(path: string): string | null {
  const log = readLog(`${path}-wal`)
  const index = readIndex(`${path}-shm`)
  if (log?.gap) return `is damaged after frame ${log.sound}`
  if (!existsSync(`${path}-wal`)) return index && index.frames === index.copied ? null : 'is missing'
  // A running daemon has an index: without one, nothing says that an empty log is right.
  if (!index && !log) return 'is empty and its index is missing'
  if (!index || index.frames === index.copied) return null
  const sound = log?.salts === index.salts ? log.sound : 0
  return sound < index.frames ? `has ${sound} of ${index.frames} frames` : null
}

function readLog(path: string): Log | null {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  if (bytes.length < headerBytes) return null
  const frameBytes = frameHeaderBytes + bytes.readUInt32BE(8)
  const big = (bytes.readUInt32BE(0) & 1) === 1
  const sums: Sums = { first: 0, second: 0 }
  add(sums, bytes.subarray(0, 24), big)
  const salts = bytes.toString('hex', 16, 24)
  let sound = 0
  let at = headerBytes
  if (isSum(sums, bytes, 24)) {
    for (; at + frameBytes <= bytes.length; at += frameBytes, sound += 1) {
      if (bytes.toString('hex', at + 8, at + 16) !== salts) break
      add(sums, bytes.subarray(at, at + 8), big)
      add(sums, bytes.subarray(at + frameHeaderBytes, at + frameBytes), big)
      if (!isSum(sums, bytes, at + 16)) break
    }
  }
  let gap = false
  for (at += frameBytes; at + frameBytes <= bytes.length && !gap; at += frameBytes)
    gap = bytes.toString('hex', at + 8, at + 16) === salts
  return { salts, sound, gap }
}

interface Sums {
  first: number
  second: number
}

function add(sums: Sums, bytes: Buffer, big: boolean): void {
  const word = (at: number) => (big ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
  for (let at = 0; at < bytes.length; at += 8) {
    sums.first = (sums.first + word(at) + sums.second) >>> 0
    sums.second = (sums.second + word(at + 4) + sums.first) >>> 0
  }
}

const isSum = ({ first, second }: Sums, bytes: Buffer, at: number): boolean =>
  bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second

/** The index is in the byte order of the machine; the salts are copied as they are. Null if there is none. */
function readIndex(path: string): { salts: string; frames: number; copied: number } | null {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  if (bytes.length < 100 || !bytes.subarray(0, 48).equals(bytes.subarray(48, 96))) return null
  return {
    salts: bytes.toString('hex', 32, 40),
    frames: bytes.readUInt32LE(16),
    copied: bytes.readUInt32LE(96),
  }
}
