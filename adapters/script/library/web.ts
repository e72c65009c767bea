import { Buffer } from 'buffer/'
import { subtle } from './digest.ts'
import { define, native } from './host.ts'

/** The parts of the web platform that code expects and the engine lacks: no input, no output, no timers. */

class TextEncoder {
  readonly encoding = 'utf-8'
  encode(text = ''): Uint8Array {
    return new Uint8Array(Buffer.from(String(text), 'utf8'))
  }
}

class TextDecoder {
  readonly encoding: string
  constructor(label = 'utf-8') {
    const name = String(label).toLowerCase()
    if (!['utf-8', 'utf8', 'latin1', 'iso-8859-1', 'ascii'].includes(name))
      throw new RangeError(`The encoding ${label} is not supported`)
    this.encoding = name.startsWith('utf') ? 'utf-8' : 'windows-1252'
  }
  decode(input: ArrayBuffer | ArrayBufferView = new ArrayBuffer(0)): string {
    const view = ArrayBuffer.isView(input) ? input : new Uint8Array(input)
    const bytes = Buffer.from(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
    return bytes.toString(this.encoding === 'utf-8' ? 'utf8' : 'latin1').replace(/^\ufeff/, '')
  }
}

function btoa(text: unknown): string {
  const own = String(text)
  for (const letter of own) if (letter.charCodeAt(0) > 255) throw new Error('btoa takes letters up to U+00FF only')
  return Buffer.from(own, 'latin1').toString('base64')
}

function atob(text: unknown): string {
  const own = String(text).replace(/[\t\n\f\r ]/g, '')
  if (!/^[\w+/]*={0,2}$/.test(own) || own.replace(/={1,2}$/, '').length % 4 === 1)
    throw new Error('The text is not base64')
  return Buffer.from(own, 'base64').toString('latin1')
}

const randomBytes = (count: number) => native('random', count) as number[]

function getRandomValues<List extends Uint8Array | Uint16Array | Uint32Array>(list: List): List {
  const bytes = new Uint8Array(list.buffer, list.byteOffset, list.byteLength)
  bytes.set(randomBytes(bytes.length))
  return list
}

function randomUUID(): string {
  const bytes = Buffer.from(randomBytes(16))
  bytes[6] = ((bytes[6] ?? 0) & 15) | 64
  bytes[8] = ((bytes[8] ?? 0) & 63) | 128
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

for (const [name, value] of Object.entries({
  ...{ TextEncoder, TextDecoder, btoa, atob, Buffer },
  crypto: { subtle, getRandomValues, randomUUID },
}))
  define(name, value)
