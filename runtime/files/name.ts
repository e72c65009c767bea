import { refusePath } from '../paths.ts'

/** Bytes of UTF-8 that every common file system allows in a name. */
const maxBytes = 255

/** Bidirectional marks and invisible characters, which can make a name look like another. */
const deceptive = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** The uploader's file name as a single name that is safe on every system and in every header. */
export function cleanName(name: string): string {
  const last = name.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = last
    .replace(/\p{Cc}/gu, '')
    .replace(deceptive, '')
    .replace(/\s+/g, ' ')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/%(?=(25)*(00|2e|2f|5c))/gi, '_')
    .replace(/[\u2024-\u2026\uff0e\uff0f\uff3c]|\p{Co}/gu, '_')
  const short = shortened(plain.replace(/^ +|(?<![. ])[. ]+$/g, ''))
  if (short === '') return 'file'
  if (refusePath(short) === null) return short
  const guarded = shortened(`_${short}`)
  return refusePath(guarded) === null ? guarded : 'file'
}

/** Shortens the stem and keeps the extension. */
function shortened(name: string): string {
  if (bytesOf(name) <= maxBytes) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && bytesOf(name.slice(dot)) <= 32 ? name.slice(dot) : ''
  const stem = [...name.slice(0, name.length - extension.length)]
  while (bytesOf(stem.join('') + extension) > maxBytes)
    stem.length -= Math.max(1, Math.floor(over(stem, extension) / 4))
  return stem.join('').trimEnd() + extension
}

const over = (stem: string[], extension: string) => bytesOf(stem.join('') + extension) - maxBytes

const bytesOf = (text: string): number => new TextEncoder().encode(text).length
