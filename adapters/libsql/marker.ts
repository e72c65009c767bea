import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What is known of the store outside of the database: that it was begun, so that an empty file is a loss and not a
 * fresh start, and how its file looked after the last orderly stop.
 */
export interface Marker {
  /** ISO 8601, UTC. */
  initialised_at: string
  encrypted: boolean
  /** Null while a daemon runs and after it was killed. */
  clean: FileLook | null
}

export interface FileLook {
  bytes: number
  modified_ns: string
}

export const markerFile = (folder: string) => join(folder, 'store.json')

export function readMarker(folder: string): Marker | null {
  let text: string
  try {
    text = readFileSync(markerFile(folder), 'utf8')
  } catch (thrown) {
    if ((thrown as { code?: string }).code === 'ENOENT') return null
    throw thrown
  }
  try {
    return { encrypted: false, clean: null, ...(JSON.parse(text) as Partial<Marker>) } as Marker
  } catch {
    // Torn or edited: that it exists is what counts.
    return { initialised_at: '', encrypted: false, clean: null }
  }
}

export function writeMarker(folder: string, marker: Marker): void {
  const aside = `${markerFile(folder)}.new`
  writeFileSync(aside, `${JSON.stringify(marker)}\n`, { mode: 0o600, flush: true })
  renameSync(aside, markerFile(folder))
}

export const removeMarker = (folder: string) => rmSync(markerFile(folder), { force: true })

export function lookOf(path: string): FileLook {
  const stat = statSync(path, { bigint: true })
  return { bytes: Number(stat.size), modified_ns: String(stat.mtimeNs) }
}
