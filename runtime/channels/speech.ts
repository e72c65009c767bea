import type { Context } from '../context.ts'
import { ModelError } from '../ports/models.ts'
import { transcribe } from '../providers/index.ts'
import { errorMessage } from '../thrown.ts'
import type { WorkEnding } from '../work/kind.ts'
import { type Accepted, currentSession, isPrivate } from './conversation.ts'
import { bytesOf, throwIfPassing } from './download.ts'
import type { InboundText, StoredInbound } from './message-store.ts'
import { queueReply } from './send.ts'

/**
 * The message with its voice messages as text: what the sender says, or somebody else if it was forwarded. If none can be
 * understood and there is no other text, one sentence says so, and no model reads it. `retries`: what may pass is thrown.
 */
export async function withSpeech(
  context: Context,
  accepted: Accepted,
  retries: boolean,
): Promise<{ received: StoredInbound } | { refused: WorkEnding }> {
  const { channel, received } = accepted
  const { message } = received
  const voices = message.files.filter(({ is_voice }) => is_voice)
  if (voices.length === 0) return { received }
  const conversation_id = (await currentSession(context, accepted))?.conversation_id ?? null
  try {
    const texts: string[] = []
    for (const { name, mime_type, ...file } of voices) {
      const bytes = await bytesOf(context, channel, { ...file, name, mime_type })
      const speech = { name, mime_type: mime_type ?? 'audio/ogg', bytes }
      const text = await transcribe(context, speech, { category: 'chat', conversation_id })
      if (text === null) return unheard(null)
      texts.push(text)
    }
    return { received: { ...received, message: spokenIn(message, texts.filter(Boolean).join('\n')) } }
  } catch (thrown) {
    throwIfPassing(context, thrown, retries)
    context.log.write('info', 'cannot write down a voice message', { cause: errorMessage(thrown) })
    return unheard(thrown)
  }

  async function unheard(thrown: unknown) {
    if (message.text.trim() !== '' || message.files.length > voices.length) return { received }
    const markdown = sentenceFor(thrown, isPrivate(accepted))
    return { refused: { statements: await queueReply(context, channel, received, markdown) } }
  }
}

/** Only the owner learns what is missing. */
function sentenceFor(thrown: unknown, isOwners: boolean): string {
  if (!isOwners) return 'I cannot listen to voice messages here. Please write to me.'
  if (thrown === null)
    return 'I cannot listen to voice messages yet: add OpenAI, Groq or Mistral in Settings → Model providers, or write to me.'
  const reason = thrown instanceof ModelError ? thrown.message : errorMessage(thrown)
  return `I could not listen to your voice message: ${reason}. Please write to me, or send it again later.`
}

function spokenIn(message: InboundText, speech: string): InboundText {
  const files = message.files.filter(({ is_voice }) => !is_voice)
  const join = (text: string) => [text.trim(), speech].filter(Boolean).join('\n')
  if (!message.quotes.some(({ kind }) => kind === 'forward')) return { ...message, files, text: join(message.text) }
  const quotes = message.quotes.map((quote) =>
    quote.kind === 'forward' ? { ...quote, text: join(quote.text) } : quote,
  )
  return { ...message, files, quotes }
}
