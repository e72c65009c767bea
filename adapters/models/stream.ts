import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { ModelCall, ModelEvent } from '../../runtime/ports/models.ts'
import { readAnswer } from './answer.ts'
import { headersOf, toModelError } from './failure.ts'
import { type ModelHost, openHostLine } from './host.ts'
import type { Line } from './line.ts'
import { toPrompt, toTools } from './prompt.ts'
import { resolveAccess } from './providers.ts'
import { refuseWholeAnswers } from './whole-answers.ts'

/** One request, never repeated; the connection is closed when the reader stops. */
export async function* streamAnswer(host: ModelHost, call: ModelCall): AsyncGenerator<ModelEvent> {
  const access = resolveAccess(call)
  const line = openHostLine(host, call.signal, access.provider)
  let began = false
  try {
    line.signal.throwIfAborted()
    const opening = {
      baseURL: access.base_url,
      apiKey: access.api_key,
      fetch: refuseWholeAnswers(line.fetch),
    }
    const model = await access.provider.open(opening, call.model)
    const { stream, response } = await model.doStream(toOptions(call, line))
    began = true
    yield* limitsIn(response?.headers)
    const parts = stream.getReader()
    yield* readAnswer(parts, call)
    await readTail(parts, host.clock, line)
  } catch (error) {
    yield* limitsIn(headersOf(error))
    throw (
      line.cutBy() ??
      toModelError(error, { provider: call.provider, api_key: call.api_key, began, now: host.clock.now() })
    )
  } finally {
    line.close()
  }
}

function toOptions(call: ModelCall, line: Line): LanguageModelV4CallOptions {
  return {
    prompt: toPrompt(call),
    tools: toTools(call.tools),
    temperature: call.temperature,
    maxOutputTokens: call.max_output_tokens,
    abortSignal: line.signal,
    // OpenAI keeps answers for 30 days unless told not to.
    providerOptions: { openai: { store: false } },
  }
}

function* limitsIn(headers: Record<string, string> = {}): Generator<ModelEvent> {
  const limits = Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => /^(anthropic-ratelimit|x-ratelimit|retry-after)/.test(name))
  if (limits.length > 0) yield { type: 'limits', headers: Object.fromEntries(limits) }
}

/** Milliseconds. */
const longestTail = 250

/** The last bytes after the finish, so that the connection can be used again; not worth a wait. */
async function readTail(
  parts: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  clock: Clock,
  line: Line,
): Promise<void> {
  const timer = clock.after(longestTail, line.signal)
  timer.catch(() => {
    // The line was closed first.
  })
  await Promise.race([readToEnd(parts), timer])
}

async function readToEnd(parts: ReadableStreamDefaultReader<LanguageModelV4StreamPart>): Promise<void> {
  try {
    while (!(await parts.read()).done);
  } catch {
    // What fails after the finish harms nobody.
  }
}
