import { readSecurity } from '../../auth/security.ts'
import { findConversation, listMessages } from '../../chat/index.ts'
import type { Context } from '../../context.ts'
import { normalizedText } from '../../english/words.ts'
import type { Host } from '../../host.ts'
import { redact } from '../../secrets/redact.ts'
import { readSection } from '../../sections/section.ts'
import type { Trust } from '../../trust.ts'
import { separateUntrusted } from '../../untrusted.ts'
import { addEpisode, type Origin } from '../episodes.ts'
import type { NewEpisode } from '../schema.ts'
import { memorySettings } from '../settings.ts'
import { countAccess } from '../store.ts'
import { findDuplicate } from './duplicate.ts'

/** Redacts secrets: those that are known by their form, and what the operator's patterns match. */
export async function secretRedaction(host: Host): Promise<(text: string) => string> {
  await readSecurity(host)
  return (text) => redact(host.process.redaction.text(text))
}

/**
 * Saves a note of an agent or another program. Secrets are redacted, and a duplicate of a stored episode
 * counts as an access to it. Returns the id of the episode, and whether a secret was left out.
 */
export async function saveNote(
  context: Context,
  note: NewEpisode & Origin,
): Promise<{ id: string; redacted: boolean }> {
  const { redact_secrets, dedupe_threshold } = await readSection(context, memorySettings)
  const content = redact_secrets ? (await secretRedaction(context))(note.content) : note.content
  const redacted = content !== note.content
  const duplicate = await findDuplicate(context, { ...note, content }, dedupe_threshold)
  if (duplicate === null) return { id: (await addEpisode(context, { ...note, content })).id, redacted }
  await context.commit([countAccess([duplicate])])
  return { id: duplicate, redacted }
}

/** A message with more characters than this is probably pasted, and pasted text may be anyone's. */
const maxSaid = 2_000

/** What the offline model appends to a relative date. */
const dateNote = / \(said on [^)]*\)\s*$/
const introduction = /\b(?:(?:you (?:can|may|should) )?call me|i['’]m|i am|my name['’]s)(?=\s)/giu
const negation = /\b(?:not|no|never|without|cannot|\w+n t)\b/giu

/** Whether a note repeats what a person said: one contiguous piece of it, with the same negations. */
export function isOwnWords(note: string, said: string): boolean {
  if (said.length > maxSaid) return false
  const plain = (text: string) => normalizedText(text.replace(introduction, 'my name is'))
  const [kept, whole] = [plain(note.replace(dateNote, '')), plain(said)]
  const negations = (text: string) => text.match(negation)?.length ?? 0
  // "Don't forget that …" is not a negation.
  const stated = whole.replace(/\b(?:don t|do not|never) (?:ever )?forget\b/g, '')
  return kept !== '' && ` ${whole} `.includes(` ${kept} `) && negations(kept) === negations(stated)
}

export interface Note {
  content: string
  conversation_id: string
  /** The reply in which the agent saves the note. */
  message_id: string
  /** The conversation contains external text. */
  tainted: boolean
}

export interface Authorship {
  trust: Trust
  /** The owner's message, if the note repeats it. */
  said?: string
}

/**
 * Who a note of an agent is attributed to: the owner if it repeats their latest message in a conversation
 * of their own or on a channel, whatever else was read there. Otherwise it is external after external text, such as that
 * of other people on a channel, else the agent's.
 */
export async function authorOf(host: Pick<Host, 'sql'>, note: Note): Promise<Authorship> {
  const conversation = await findConversation(host, note.conversation_id)
  const tainted = note.tainted || conversation?.tainted
  const others = { trust: tainted ? 'external' : 'agent' } as const
  if (conversation?.kind !== 'user' && conversation?.kind !== 'channel') return others
  const [question] = await listMessages(host, note.conversation_id, { before: note.message_id, limit: 1 })
  // On a channel, messages from anyone but the owner are marked.
  if (question?.role !== 'user' || separateUntrusted(question.content).foreign.length > 0) return others
  if (!isOwnWords(note.content, question.content)) return others
  return { trust: 'owner', said: question.content }
}
