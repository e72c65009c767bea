import { redact } from '../../secrets/redact.ts'
import { cut } from '../../tools/text.ts'
import type { Origin } from '../episodes.ts'
import { contentLimit, type NewEpisode, type Trust } from '../schema.ts'
import { withoutDumps } from './dumps.ts'
import { importanceOf } from './importance.ts'
import { withoutRetold } from './retold.ts'
import { topicsOf } from './topics.ts'
import { tells, worthKeeping } from './worth.ts'

/** Characters of an answer that are kept: the beginning says what it is about. */
const replyLimit = 4_000

/** What a person said and what was answered. */
export interface Exchange {
  said: string
  reply: string
  /** Texts that this answer had from memory. */
  recalled: readonly string[]
  conversation_id: string
  /** The person's message: it stays when the answer is made anew. */
  message_id: string
  /** How many messages of persons stand before it in the conversation. */
  position: number
  agent_id: string | null
  trust: Trust
  channel: string | null
  redaction: { secrets: boolean; patterns: readonly string[] }
}

/** An exchange as an episode, or null when it is not worth one. */
export function episodeOf(exchange: Exchange): (NewEpisode & Origin) | null {
  const clean = (text: string) => cleaned(text, exchange.redaction)
  const content = cut(clean(exchange.said), contentLimit).text
  const reply = cut(withoutRetold(clean(exchange.reply), exchange.recalled), replyLimit).text
  if (!worthKeeping(content, exchange.reply)) return null
  // A question that memory alone has answered says nothing new.
  if (reply === '' && !tells(content)) return null
  return {
    content,
    reply,
    summary: null,
    valence: 0,
    importance: importanceOf(content),
    topics: topicsOf(content, reply),
    agent_id: exchange.agent_id,
    source: 'conversation',
    trust: exchange.trust,
    position: exchange.position,
    provenance: {
      conversation_id: exchange.conversation_id,
      message_id: exchange.message_id,
      channel: exchange.channel,
      url: null,
    },
  }
}

function cleaned(text: string, { secrets, patterns }: Exchange['redaction']): string {
  const talk = withoutDumps(text).trim()
  return secrets ? redact(talk, patterns) : talk
}
