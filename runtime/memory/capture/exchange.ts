import { z } from 'zod'
import type { Message, Part } from '../../chat/index.ts'
import { stem } from '../../english/stem.ts'
import { coverage, keywordsOf } from '../../english/words.ts'
import { cut } from '../../tools/text.ts'
import { separateUntrusted } from '../../untrusted.ts'
import type { Origin } from '../episodes.ts'
import { contentLimit, type NewEpisode } from '../schema.ts'
import { importanceOf, statesFact, topicsOf, withoutOutput, withoutRecalled, worthKeeping } from './rules.ts'

/** Characters of a reply that are kept: its start says what it is about. */
const maxReply = 4_000

/** What a person said and what the assistant replied. */
export interface Exchange {
  said: string
  reply: string
  /** Texts of memories that the reply was based on. */
  recalled: readonly string[]
  conversation_id: string
  /** The person's message, which stays when the reply is regenerated. */
  message_id: string
  /** Number of earlier messages of persons in the conversation. */
  position: number
  agent_id: string | null
  /** The reply may repeat text from outside. */
  tainted: boolean
  /** Null if secrets are kept. */
  redaction: ((text: string) => string) | null
}

/**
 * The episode of an exchange; null if it is not worth keeping. Trust belongs to each text by its author: what the owner
 * wrote stays the owner's word after a page was read, and the reply, which may repeat the page, is left out.
 */
export function episodeOf(exchange: Exchange): (NewEpisode & Origin) | null {
  const clean = (text: string) => cleaned(text, exchange.redaction)
  const { own, foreign } = separateUntrusted(exchange.said)
  // On a channel, messages from anyone but the owner are marked.
  const isOwners = foreign.length === 0
  const content = cut(clean(isOwners ? own : foreign.join('\n')), contentLimit).text
  const kept = exchange.tainted && isOwners ? '' : clean(exchange.reply)
  const reply = cut(withoutRecalled(kept, exchange.recalled), maxReply).text
  if (!worthKeeping(content, exchange.reply)) return null
  // A question that was answered from memory alone adds nothing.
  if (reply === '' && !statesFact(content)) return null
  return {
    content,
    reply,
    summary: null,
    valence: 0,
    importance: importanceOf(content),
    topics: topicsOf(content, reply),
    agent_id: exchange.agent_id,
    source: 'conversation',
    trust: isOwners ? 'owner' : 'external',
    position: exchange.position,
    provenance: {
      conversation_id: exchange.conversation_id,
      message_id: exchange.message_id,
      channel: null,
      url: null,
    },
  }
}

function cleaned(text: string, redaction: Exchange['redaction']): string {
  const talk = withoutOutput(text).trim()
  return redaction ? redaction(talk) : talk
}

/** The person's message with what they added while the reply was generated. */
export const saidIn = (question: Message, answer: Message): string =>
  [question.content, ...answer.parts.map((part) => (part.type === 'steer' ? part.text : ''))]
    .filter((text) => text !== '')
    .join('\n')

/** The text of a message without tool calls and their results. */
export const textIn = ({ parts }: Message): string =>
  parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n\n')
    .trim()

/** A user message and its reply. */
export interface AnsweredMessage {
  question: Message
  answer: Message
  /** Number of earlier user messages. */
  position: number
}

/**
 * The exchanges of a conversation, oldest first: each user message that is directly followed by a complete
 * reply. Replies to the daemon's own notes, such as check-ins, are left out, and messages added during a
 * reply belong to that reply.
 */
export function exchangesOf(messages: readonly Message[]): AnsweredMessage[] {
  const steered = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'steer' ? part.message_id : []))),
  )
  const exchanges: AnsweredMessage[] = []
  let position = 0
  let last: Message | null = null
  for (const message of messages) {
    if (isSummary(message)) continue
    if (message.role === 'assistant' && message.status === 'complete' && last?.role === 'user' && !steered.has(last.id))
      exchanges.push({ question: last, answer: message, position: position - 1 })
    if (message.role === 'user') position += 1
    last = message
  }
  return exchanges
}

/**
 * The summary of a compacted conversation follows the last compacted message and has its id with a 0
 * appended.
 */
const isSummary = ({ role, id, content }: Message) =>
  role === 'system' && id.endsWith('0') && content.startsWith('Summary of the conversation so far:')

const SavedNote = z.object({ content: z.string() })
const SearchOutput = z.object({ results: z.array(z.object({ content: z.string() })) })

/** Texts that the agent saved with `memory_save` in this reply. */
export const notesIn = (parts: readonly Part[]): string[] =>
  parts.flatMap((part) =>
    part.type === 'tool_use' && part.tool === 'memory_save' && part.state === 'done'
      ? (SavedNote.safeParse(part.input).data?.content ?? [])
      : [],
  )

/** Texts that the agent found with `memory_search` in this reply. */
export const searchResultsIn = (parts: readonly Part[]): string[] =>
  parts.flatMap((part) =>
    part.type === 'tool_result' && part.tool === 'memory_search'
      ? (SearchOutput.safeParse(part.output).data?.results.map(({ content }) => content) ?? [])
      : [],
  )

/** Words that ask to remember something. */
const instruction = new Set(['remember', 'save', 'note', 'keep', 'mind', 'store', 'memory', 'forget', 'don'].map(stem))
/** The share of the person's keywords that the agent's notes must contain to count as the same memory. */
const savedShare = 0.6

/** Whether the agent's notes already contain what the person said. */
export function isSaved(said: string, saved: readonly string[]): boolean {
  if (saved.length === 0) return false
  const words = new Set([...keywordsOf(said)].filter((word) => !instruction.has(word)))
  return coverage(words, keywordsOf(saved.join('\n'))) >= savedShare
}
