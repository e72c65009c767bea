/**
 * The part of the tar format that backups need (POSIX ustar, with pax records for long names and GNU's binary sizes from 8 GiB), streamed.
 * Own code: tar-stream is asynchronous, and tar opens the files itself, so it could follow a link that was just put there.
 */
export interface TarEntry {
  /** With forward slashes. */
  path: string
  kind: 'file' | 'folder' | 'link'
  bytes: number
  mode: number
  uid: number
  gid: number
  /** Unix seconds. */
  modified: number
  /** Target of a link. */
  target: string
}

export const blockBytes = 512
/** Sizes from here on do not fit into 11 octal digits. */
const maxOctal = 8 ** 11
/** The first byte of a binary number. */
const binary = 0x80
const maxRecords = 64 * 1024
const kinds: Record<string, TarEntry['kind']> = { '0': 'file', '\0': 'file', '5': 'folder', '2': 'link' }
const types = { file: '0', folder: '5', link: '2' }

/** The zeros that fill the last block of a content. */
export const padding = (bytes: number): Buffer => Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)

/** Two blocks of zeros end an archive. */
export const endOfTar = (): Buffer => Buffer.alloc(2 * blockBytes)

/** The blocks before the content of an entry. */
export function tarHeader(entry: TarEntry): Buffer {
  const records = Object.entries({
    ...(Buffer.byteLength(entry.path) > 100 && { path: entry.path }),
    ...(Buffer.byteLength(entry.target) > 100 && { linkpath: entry.target }),
  }).map(([name, value]) => paxRecord(name, value))
  const header = block(entry, types[entry.kind])
  if (records.length === 0) return header
  const extended = Buffer.concat(records)
  const pax = block({ ...entry, path: 'pax', target: '', bytes: extended.length }, 'x')
  return Buffer.concat([pax, extended, padding(extended.length), header])
}

/** `<length> <name>=<value>\n`; the length includes its own digits. */
function paxRecord(name: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${name}=${value}\n`)
  let length = rest + String(rest).length
  if (String(length).length > String(rest).length) length = rest + String(length).length
  return Buffer.from(`${length} ${name}=${value}\n`)
}

function block({ path, bytes, mode, uid, gid, modified, target }: TarEntry, type: string): Buffer {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, length: number) =>
    header.write(
      Math.max(0, value % 8 ** (length - 1))
        .toString(8)
        .padStart(length - 1, '0'),
      at,
      'latin1',
    )
  Buffer.from(path).copy(header, 0, 0, 100)
  octal(mode & 0o777, 100, 8)
  octal(uid, 108, 8)
  octal(gid, 116, 8)
  if (bytes < maxOctal) octal(bytes, 124, 12)
  else {
    header[124] = binary
    header.writeUIntBE(bytes, 130, 6)
  }
  octal(Math.floor(modified), 136, 12)
  header.write(type, 156, 'latin1')
  Buffer.from(target).copy(header, 157, 0, 100)
  header.write('ustar\u000000', 257, 'latin1')
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

/** The sum of all bytes, with its own field as spaces. */
function checksum(header: Buffer): number {
  let sum = 8 * 32
  for (let at = 0; at < blockBytes; at += 1) if (at < 148 || at >= 156) sum += header[at] ?? 0
  return sum
}

const textAt = (header: Buffer, at: number, length: number) => {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}
const numberAt = (header: Buffer, at: number, length: number) =>
  Number.parseInt(textAt(header, at, length).trim() || '0', 8)

/** The entry of a header block with its type; null if it is none. */
export function readTarHeader(header: Buffer): (Omit<TarEntry, 'kind'> & { type: string }) | null {
  if (header.length < blockBytes || textAt(header, 257, 5) !== 'ustar') return null
  if (numberAt(header, 148, 8) !== checksum(header)) return null
  const prefix = textAt(header, 345, 155)
  const name = textAt(header, 0, 100)
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    type: header.toString('latin1', 156, 157),
    bytes: header[124] === binary ? header.readUIntBE(130, 6) : numberAt(header, 124, 12),
    mode: numberAt(header, 100, 8) & 0o777,
    uid: numberAt(header, 108, 8),
    gid: numberAt(header, 116, 8),
    modified: numberAt(header, 136, 12),
    target: textAt(header, 157, 100),
  }
}

/** Reads an archive entry by entry. Throws if it is damaged or ends too early. */
export class TarReader {
  readonly #pieces: Iterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)
  /** Bytes of the current entry that were not read, with their padding. */
  #left = 0
  #pad = 0

  constructor(pieces: Iterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.iterator]()
  }

  /** The next entry; null at the end of the archive. Skips what was not read of the one before. */
  next(): TarEntry | null {
    for (const _ of this.content());
    this.#take(this.#pad)
    const records = new Map<string, string>()
    for (;;) {
      const header = this.#take(blockBytes)
      if (header.every((byte) => byte === 0)) return null
      const entry = readTarHeader(header)
      if (!entry) throw new Error('an entry is damaged')
      if (entry.type !== 'x') return this.#begin(entry, records)
      if (entry.bytes > maxRecords) throw new Error('an entry is damaged')
      for (const [name, value] of readRecords(this.#take(entry.bytes))) records.set(name, value)
      this.#take(padding(entry.bytes).length)
    }
  }

  #begin(parsed: NonNullable<ReturnType<typeof readTarHeader>>, records: Map<string, string>): TarEntry {
    const { type, ...entry } = parsed
    const kind = kinds[type]
    const bytes = kind === 'file' ? entry.bytes : 0
    if (!kind || !Number.isSafeInteger(bytes) || bytes < 0) throw new Error('an entry is damaged')
    this.#left = bytes
    this.#pad = padding(bytes).length
    const path = records.get('path') ?? entry.path
    return { ...entry, kind, bytes, path, target: records.get('linkpath') ?? entry.target }
  }

  /** The content of the current entry. */
  *content(): Generator<Buffer> {
    while (this.#left > 0) {
      this.#fill()
      const piece = this.#rest.subarray(0, this.#left)
      this.#rest = this.#rest.subarray(piece.length)
      this.#left -= piece.length
      yield piece
    }
  }

  #take(bytes: number): Buffer {
    while (this.#rest.length < bytes) {
      const before = this.#rest
      this.#rest = Buffer.alloc(0)
      this.#fill()
      this.#rest = Buffer.concat([before, this.#rest])
    }
    const taken = this.#rest.subarray(0, bytes)
    this.#rest = this.#rest.subarray(bytes)
    return taken
  }

  #fill(): void {
    while (this.#rest.length === 0) {
      const { done, value } = this.#pieces.next()
      if (done) throw new Error('the archive was cut short')
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
  }
}

function* readRecords(bytes: Buffer): Generator<[string, string]> {
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 20), 10)
    const text = length > 0 ? bytes.toString('utf8', at, at + length - 1) : ''
    const equals = text.indexOf('=')
    if (equals < 0) throw new Error('an entry is damaged')
    yield [text.slice(text.indexOf(' ') + 1, equals), text.slice(equals + 1)]
    at += length
  }
}
