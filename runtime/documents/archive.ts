import { Unzip, UnzipInflate } from 'fflate'
import { sumOf } from '../numbers.ts'
import { type BoundedText, DocumentError, type Reading } from './document.ts'
import { readXml } from './xml.ts'

/** Of an archive, packed parts that are not read included. */
const maxEntries = 10_000
/** Bytes that the parts which are read may have together, unpacked. */
const maxUnpacked = 100 * 1024 * 1024
/** Packed bytes read at once: at most 8 MB unpacked. */
const chunk = 8 * 1024

const damaged = () => new DocumentError('it is damaged and cannot be unpacked')

/** Unpacks the parts of an office file whose path matches `wanted`. Throws `DocumentError`. */
export async function unpack(
  { bytes, pause }: Pick<Reading, 'bytes' | 'pause'>,
  names: RegExp,
): Promise<Map<string, Uint8Array>> {
  const parts = new Map<string, Uint8Array>()
  const open = new Set<string>()
  let entries = 0
  let unpacked = 0
  const unzip = new Unzip((file) => {
    entries += 1
    if (entries > maxEntries) throw new DocumentError(`it has more than ${maxEntries} parts`)
    if (!names.test(file.name)) return
    const pieces: Uint8Array[] = []
    open.add(file.name)
    file.ondata = (error, piece, final) => {
      // What this function has thrown comes back as an error too.
      if (error) throw error instanceof DocumentError ? error : damaged()
      unpacked += piece.length
      if (unpacked > maxUnpacked)
        throw new DocumentError(`its content is larger than ${maxUnpacked / 1024 / 1024} MB when unpacked`)
      pieces.push(piece)
      if (!final) return
      open.delete(file.name)
      parts.set(file.name, joined(pieces))
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  try {
    for (let at = 0; at < bytes.length; at += chunk) {
      unzip.push(bytes.subarray(at, at + chunk), at + chunk >= bytes.length)
      if ((at / chunk) % 4 === 0) await pause()
    }
  } catch (thrown) {
    // The unpacker reports bad data with its own codes.
    if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number') throw damaged()
    throw thrown
  }
  if (open.size > 0 || entries === 0) throw damaged()
  return parts
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(sumOf(pieces, ({ length }) => length))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** The unpacked parts of a document by their paths. */
export type Parts = ReadonlyMap<string, Uint8Array>

/** Reads the parts of one document into `text`. */
export interface Target {
  parts: Parts
  text: BoundedText
  pause(): Promise<void>
}

/** A part that a document of its kind always has. */
export function needPart(parts: Parts, path: RegExp): Uint8Array {
  const part = [...parts].find(([name]) => path.test(name))
  if (!part) throw new DocumentError('it is damaged: its main part is missing')
  return part[1]
}

/** The sheets or slides that a part lists, in its order: the names of the elements, and the paths of their parts. */
export async function pathsInOrder(
  { parts, pause }: Target,
  path: string,
  element: string,
): Promise<{ name: string; path: string }[]> {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const targets = new Map<string, string>()
  await readXml(
    parts.get(`${folder}/_rels/${path.slice(folder.length + 1)}.rels`),
    {
      open(name, { Id = '', Target: target = '' }) {
        if (name === 'Relationship') targets.set(Id, target.startsWith('/') ? target.slice(1) : `${folder}/${target}`)
      },
    },
    pause,
  )
  const listed: { name: string; path: string }[] = []
  await readXml(
    parts.get(path),
    {
      open(name, attributes) {
        const key = Object.keys(attributes).find((one) => one.endsWith(':id')) ?? ''
        const target = name === element && targets.get(attributes[key] ?? '')
        if (target) listed.push({ name: attributes.name ?? '', path: target })
      },
    },
    pause,
  )
  return listed
}
