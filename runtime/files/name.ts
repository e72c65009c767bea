import { refusePath } from '../paths.ts'

/** Bytes of UTF-8 of one name on every common file system. */
const longest = 255

/** Bidirectional marks and invisible characters, with which a name can look like another one. */
const deceptive = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** What an uploader calls a file, as one name that is harmless on every system and in every header. */
export function cleanName(given: string): string {
  const last = given.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = last
    .replace(/\p{Cc}/gu, '')
    .replace(deceptive, '')
    .replace(/\s+/g, ' ')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/%(?=(25)*(00|2e|2f|5c))/gi, '_')
    .replace(/[\u2024-\u2026\uff0e\uff0f\uff3c]|\p{Co}/gu, '_')
  const short = shortened(plain.replace(/^ +|[. ]+$/g, ''))
  if (short === '') return 'file'
  if (refusePath(short) === null) return short
  const guarded = shortened(`_${short}`)
  return refusePath(guarded) === null ? guarded : 'file'
}

/** Cuts the stem, so that the extension stays. */
function shortened(name: string): string {
  if (bytesOf(name) <= longest) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && bytesOf(name.slice(dot)) <= 32 ? name.slice(dot) : ''
  const stem = [...name.slice(0, name.length - extension.length)]
  while (bytesOf(stem.join('') + extension) > longest)
    stem.length -= Math.max(1, Math.floor(over(stem, extension) / 4))
  return stem.join('').trimEnd() + extension
}

const over = (stem: string[], extension: string) => bytesOf(stem.join('') + extension) - longest

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * `Content-Disposition` of a download: a name in ASCII for old clients, the real one beside it.
 * RFC 6266, section 4.1, and RFC 8187 (which replaced RFC 5987).
 */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
