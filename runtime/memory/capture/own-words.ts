import { findConversation } from '../../chat/conversation-store.ts'
import { listMessages } from '../../chat/message-store.ts'
import type { Host } from '../../host.ts'
import type { Trust } from '../schema.ts'
import { plainForm } from '../words.ts'

/** A longer message is pasted rather than said, and what is pasted may be anybody's. Characters. */
const longestSaid = 2_000

/** What the offline model adds to a relative date. */
const addedDay = / \(said on [^)]*\)\s*$/
const introduction = /\b(?:(?:you (?:can|may|should) )?call me|i['’]m|i am|my name['’]s)(?=\s)/giu
/** What turns a piece of a sentence into its contrary. */
const denial = /\b(?:not|no|never|without|cannot|\w+n t)\b/giu

/** Whether a note only repeats what a person said themselves: its words stand there in one piece, denied as they are. */
export function isOwnWords(note: string, said: string): boolean {
  if (said.length > longestSaid) return false
  const plain = (text: string) => plainForm(text.replace(introduction, 'my name is'))
  const [kept, whole] = [plain(note.replace(addedDay, '')), plain(said)]
  const denials = (text: string) => text.match(denial)?.length ?? 0
  // "Don't forget that …" asks for the keeping.
  const told = whole.replace(/\b(?:don t|do not|never) (?:ever )?forget\b/g, '')
  return kept !== '' && ` ${whole} `.includes(` ${kept} `) && denials(kept) === denials(told)
}

export interface Note {
  content: string
  conversation_id: string
  /** The answer in which it is saved. */
  message_id: string
  /** Text from outside had come into the conversation. */
  tainted: boolean
}

export interface Voice {
  trust: Trust
  /** The owner's message, where the note repeats it. */
  said?: string
}

/**
 * Whose word a note of an agent is. The owner's only where they said it themselves, right before, in a conversation of
 * their own into which nothing came from outside; what is said in a channel is a stranger's.
 */
export async function voiceOf(host: Pick<Host, 'sql'>, note: Note): Promise<Voice> {
  const conversation = await findConversation(host, note.conversation_id)
  if (note.tainted || conversation?.tainted || conversation?.kind === 'channel') return { trust: 'external' }
  if (conversation?.kind !== 'user') return { trust: 'agent' }
  const [asked] = await listMessages(host, note.conversation_id, { before: note.message_id, limit: 1 })
  if (asked?.role !== 'user' || !isOwnWords(note.content, asked.content)) return { trust: 'agent' }
  return { trust: 'owner', said: asked.content }
}
