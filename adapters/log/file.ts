import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Bytes of one file; with its predecessors the log stays below five times that. */
const largest = 10 * 1024 * 1024
const kept = 4

/** A file that lines are appended to; when it is full it becomes `.1` and the oldest goes. */
export interface LineFile {
  write(line: string): void
  close(): void
}

export function openLineFile(path: string): LineFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  let file = openSync(path, 'a', 0o600)
  let size = fstatSync(file).size

  function rotate(): void {
    closeSync(file)
    for (let number = kept - 1; number >= 0; number -= 1) {
      moveIfThere(number === 0 ? path : `${path}.${number}`, `${path}.${number + 1}`)
    }
    file = openSync(path, 'a', 0o600)
    size = 0
  }

  return {
    write(line) {
      try {
        if (size > largest) rotate()
        size += writeSync(file, `${line}\n`)
      } catch {
        // A full disk must not stop what could still be served.
      }
    },
    close: () => closeSync(file),
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch {
    // there are not so many yet
  }
}
