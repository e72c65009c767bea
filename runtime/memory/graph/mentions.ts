import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { NamedEntity } from '../../ports/reader.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import type { GraphState } from './generation-store.ts'
import { cleanName, nameKey } from './names.ts'
import {
  type EpisodeText,
  type Mark,
  type Mention,
  markRead,
  marksOf,
  replaceMentions,
  textsOf,
  touchMark,
} from './store.ts'

type Needs = Pick<Host, 'sql' | 'clock' | 'secrets' | 'reader'>

/** Maximum number of entities of one episode. */
const maxEntities = 50

/** The hash of an episode's text. */
export const hashOf = (
  { secrets }: Pick<Host, 'secrets'>,
  { content, reply }: Pick<EpisodeText, 'content' | 'reply'>,
) => secrets.sha256(JSON.stringify([content, reply]))

interface MentionOptions {
  /** Also re-reads unchanged episodes. */
  force?: boolean
  state?: GraphState
}

/**
 * The statements that store the entities which episodes mention, extracted by rules without a model. Unchanged episodes
 * are left out. To store an episode in the same commit, pass its text and put these statements after its own.
 */
export async function mentionStatements(
  host: Needs,
  episodes: readonly ({ id: string } | EpisodeText)[],
  { force = false, state = 'live' }: MentionOptions = {},
): Promise<Statement[]> {
  const ids = episodes.map(({ id }) => id)
  const marks = force || state === 'building' ? new Map<string, Mark>() : await marksOf(host, 'mentions', ids)
  const statements: Statement[] = []
  const changed: (EpisodeText & { hash: string })[] = []
  for (const episode of await withTexts(host, episodes)) {
    const read = { ...episode, hash: hashOf(host, episode) }
    const mark = marks.get(episode.id)
    if (mark?.hash !== read.hash) changed.push(read)
    else if (mark.updated_at < episode.updated_at) statements.push(touchMark(read))
  }
  if (changed.length === 0) return statements
  const texts = changed.map(textOf)
  const named = await host.reader.names(texts)
  const now = iso(host.clock.now())
  const read = changed.map((episode, at) => ({
    episode,
    mentions: toMentions(host, named[at] ?? [], texts[at] ?? ''),
  }))
  return [
    ...statements,
    ...replaceMentions({ read, now, state }),
    markRead({ episodes: changed, reading: 'mentions', method: 'offline', now, state }),
  ]
}

const textOf = ({ content, reply }: EpisodeText): string => (reply === '' ? content : `${content}\n\n${reply}`)

/** Reads the texts of the episodes that are given by id only. */
async function withTexts(host: Needs, episodes: readonly ({ id: string } | EpisodeText)[]): Promise<EpisodeText[]> {
  const complete = episodes.filter((episode): episode is EpisodeText => 'reply' in episode && 'content' in episode)
  const ids = episodes.filter((episode) => !complete.includes(episode as EpisodeText)).map(({ id }) => id)
  return ids.length === 0 ? complete : [...complete, ...(await textsOf(host, ids))]
}

/** The mentions of entities in a text. A name that the text does not spell out counts once. */
export function toMentions(host: Pick<Host, 'clock'>, entities: readonly NamedEntity[], text: string): Mention[] {
  const mentions = new Map<string, Mention>()
  const haystack = ` ${searchable(text)} `
  for (const { name: rawName, type } of entities) {
    const name = type === 'url' || type === 'file' ? rawName.trim() : cleanName(rawName)
    const key = nameKey(name)
    if (key === '' || name.length > 500) continue
    const mention = mentions.get(key)
    if (mention) mention.type = mention.type === 'other' ? type : mention.type
    else if (mentions.size < maxEntities)
      mentions.set(key, {
        id: newId('ent', host.clock.now()),
        name,
        key,
        type,
        mentions: countOf(haystack, key),
      })
  }
  return [...mentions.values()]
}

/** A text in the form of name keys, with single spaces between words. */
const searchable = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')

function countOf(haystack: string, key: string): number {
  const needle = ` ${searchable(key).trim()} `
  let count = 0
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + needle.length - 1)) count += 1
  return Math.max(1, count)
}
