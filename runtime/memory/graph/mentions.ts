import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import type { EntityType } from '../schema.ts'
import type { GraphState } from './generations.ts'
import {
  type EpisodeText,
  type KnownMark,
  type Mention,
  markRead,
  marksOf,
  replaceMentions,
  stillRead,
  textsOf,
} from './mention-store.ts'
import { cleanName, nameKey } from './names.ts'

type Reader = Pick<Host, 'sql' | 'clock' | 'secrets' | 'reader'>

/** Entities of one episode; a page of names is not worth more. */
const mostEntities = 50

export interface Named {
  name: string
  type: EntityType
}

/** Changes with what an episode says. */
export const hashOf = (
  { secrets }: Pick<Host, 'secrets'>,
  { content, reply }: Pick<EpisodeText, 'content' | 'reply'>,
) => secrets.sha256(JSON.stringify([content, reply]))

interface MentionOptions {
  /** Reads also what was read already. */
  force?: boolean
  state?: GraphState
}

/**
 * The statements that note what episodes mention, for the commit that stores or indexes them. Found by rules, without
 * a model. Episodes that are stored and were read as they stand are left out. Whoever stores an episode in the same
 * commit passes its texts; these statements then come behind its own.
 */
export async function mentionStatements(
  host: Reader,
  episodes: readonly ({ id: string } | EpisodeText)[],
  { force = false, state = 'live' }: MentionOptions = {},
): Promise<Statement[]> {
  const ids = episodes.map(({ id }) => id)
  const known =
    force || state === 'building' ? new Map<string, KnownMark>() : await marksOf(host, 'mentions', ids)
  const statements: Statement[] = []
  const fresh: (EpisodeText & { hash: string })[] = []
  for (const episode of await withTexts(host, episodes)) {
    const read = { ...episode, hash: hashOf(host, episode) }
    const mark = known.get(episode.id)
    if (mark?.hash !== read.hash) fresh.push(read)
    else if (mark.updated_at < episode.updated_at) statements.push(stillRead(read))
  }
  return fresh.length === 0 ? statements : [...statements, ...(await freshStatements(host, fresh, state))]
}

async function freshStatements(
  host: Reader,
  fresh: readonly (EpisodeText & { hash: string })[],
  state: GraphState,
): Promise<Statement[]> {
  const texts = fresh.map(textOf)
  const named = await host.reader.names(texts)
  const now = iso(host.clock.now())
  const read = fresh.map((episode, at) => ({
    episode,
    mentions: toMentions(host, named[at] ?? [], texts[at] ?? ''),
  }))
  return [
    ...replaceMentions({ read, now, state }),
    markRead({ episodes: fresh, reading: 'mentions', method: 'offline', now, state }),
  ]
}

const textOf = ({ content, reply }: EpisodeText): string =>
  reply === '' ? content : `${content}\n\n${reply}`

async function withTexts(
  host: Reader,
  episodes: readonly ({ id: string } | EpisodeText)[],
): Promise<EpisodeText[]> {
  const given = episodes.filter(
    (episode): episode is EpisodeText => 'reply' in episode && 'content' in episode,
  )
  const others = episodes.filter((episode) => !given.includes(episode as EpisodeText))
  if (others.length === 0) return given
  return [
    ...given,
    ...(await textsOf(
      host,
      others.map(({ id }) => id),
    )),
  ]
}

/** Names as mentions of one text. What the text does not spell out counts once. */
export function toMentions(host: Pick<Host, 'clock'>, named: readonly Named[], text: string): Mention[] {
  const found = new Map<string, Mention>()
  const haystack = ` ${spaced(text)} `
  for (const { name: given, type } of named) {
    const name = type === 'url' || type === 'file' ? given.trim() : cleanName(given)
    const key = nameKey(name)
    if (key === '' || name.length > 500) continue
    const known = found.get(key)
    if (known) known.type = known.type === 'other' ? type : known.type
    else if (found.size < mostEntities)
      found.set(key, {
        id: newId('ent', host.clock.now()),
        name,
        key,
        type,
        mentions: countOf(haystack, key),
      })
  }
  return [...found.values()]
}

const spaced = (text: string) => nameKeyOfText(text).replace(/[^\p{L}\p{N}]+/gu, ' ')

/** A whole text in the form of `nameKey`. */
const nameKeyOfText = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

function countOf(haystack: string, key: string): number {
  const needle = ` ${spaced(key).trim()} `
  let count = 0
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + needle.length - 1))
    count += 1
  return Math.max(1, count)
}
