import type { Context } from '../../context.ts'
import { readable } from '../../tools/readable.ts'
import { isRecord } from '../../values.ts'
import { permanentError } from '../node-type.ts'
import { readXml } from './xml.ts'

type Fields = Record<string, unknown>

const listOf = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value])

/** The text of an element, with or without attributes. */
const textIn = (value: unknown): string | undefined => {
  const [first] = listOf(value)
  if (typeof first === 'string') return first.trim()
  return isRecord(first) && typeof first._ === 'string' ? first._.trim() : undefined
}

/** The entries of an RSS, RDF or Atom feed, with the names that feed readers use. */
export async function feedItems(host: Pick<Context, 'reader' | 'signal'>, text: string): Promise<Fields[]> {
  const document = await readXml(host, text)
  if (!isRecord(document)) throw permanentError('invalid_feed', 'It is neither RSS nor Atom')
  const channel = isRecord(document.rss) ? listOf(document.rss.channel)[0] : undefined
  const source = [channel, document['rdf:RDF'], document.feed].find(isRecord)
  if (!source) throw permanentError('invalid_feed', 'It is neither RSS nor Atom')
  const entries = listOf(isRecord(document['rdf:RDF']) ? document['rdf:RDF'].item : (source.item ?? source.entry))
  return Promise.all(entries.filter(isRecord).map(entryOf))
}

async function entryOf(entry: Fields): Promise<Fields> {
  const published = textIn(entry.pubDate ?? entry.published ?? entry.updated ?? entry['dc:date'])
  const full = textIn(entry['content:encoded'])
  const content = textIn(entry.description ?? entry.content ?? entry.summary)
  const at = Date.parse(published ?? '')
  const shown = content ?? full
  const enclosure = listOf(entry.enclosure)[0]
  const categories = listOf(entry.category).flatMap((one) =>
    isRecord(one) && typeof one.term === 'string' ? one.term : (textIn(one) ?? []),
  )
  const fields: Fields = {
    creator: textIn(entry['dc:creator']) ?? authorOf(entry.author),
    title: textIn(entry.title),
    link: linkOf(entry.link),
    pubDate: published,
    'content:encoded': full,
    content: shown,
    contentSnippet: shown === undefined ? undefined : (await readable(shown, 'http://localhost/')).text,
    guid: textIn(entry.guid ?? entry.id),
    categories: categories.length > 0 ? categories : undefined,
    enclosure: isRecord(enclosure) ? enclosure : undefined,
    isoDate: Number.isNaN(at) ? undefined : new Date(at).toISOString(),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const authorOf = (author: unknown): string | undefined => {
  const [first] = listOf(author)
  return isRecord(first) && first.name !== undefined ? textIn(first.name) : textIn(first)
}

/** Atom has links of several kinds. */
function linkOf(link: unknown): string | undefined {
  const links = listOf(link)
  const own = links.find((one) => isRecord(one) && (one.rel ?? 'alternate') === 'alternate') ?? links[0]
  return isRecord(own) && typeof own.href === 'string' ? own.href : textIn(own)
}
