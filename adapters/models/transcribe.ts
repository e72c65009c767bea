import { ModelError, type Recording, type Transcript } from '../../runtime/ports/models.ts'
import { type ModelHost, openConnection, readText, resolveAccess } from './connection.ts'
import { toModelError } from './errors.ts'
import { isRecord, parseJson } from './json.ts'

/** Maximum bytes of an answer: hours of speech. */
const maxAnswer = 4 * 1024 * 1024

/** Sends a recording to `/audio/transcriptions`, which OpenAI, Groq, Mistral and compatible servers have. */
export async function transcribe(host: ModelHost, recording: Recording): Promise<Transcript> {
  const { provider, model, name, mime_type, bytes } = recording
  const { vendor, base_url, api_key } = resolveAccess(recording)
  const connection = openConnection(host, recording, { vendor, base_url })
  try {
    const form = new FormData()
    form.set('model', model)
    // Says how long the recording is; other models than Whisper do not know this format.
    if (/whisper/i.test(model)) form.set('response_format', 'verbose_json')
    form.set('file', new Blob([bytes as BlobPart], { type: mime_type }), name)
    const response = await connection.fetch(`${base_url}/audio/transcriptions`, {
      method: 'POST',
      body: form,
      headers: api_key ? { authorization: `Bearer ${api_key}` } : {},
    })
    const responseBody = await readText(response, maxAnswer)
    if (!response.ok)
      throw {
        statusCode: response.status,
        responseBody,
        responseHeaders: Object.fromEntries(response.headers),
      }
    const body = parseJson(responseBody)
    if (!isRecord(body) || typeof body.text !== 'string')
      throw new ModelError('provider_unavailable', `${provider}: the answer has no text`)
    return { text: body.text.trim(), seconds: secondsIn(body) }
  } catch (error) {
    throw connection.closedBecause() ?? toModelError(error, { ...recording, began: false, now: host.clock.now() })
  } finally {
    connection.close()
  }
}

/** Whisper states the duration, and newer models what they bill. */
function secondsIn({ duration, usage }: Record<string, unknown>): number | null {
  const stated = [duration, isRecord(usage) ? usage.seconds : undefined].map(Number)
  return stated.find((seconds) => seconds > 0) ?? null
}
