import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { streamOf } from '../../streams.ts'
import type { Opening, OpenModel } from './vendor.ts'

/**
 * Ollama's own chat API: its OpenAI-compatible one truncates prompts at 4,096 tokens and does not accept a
 * context size.
 */
export const openOllama = ({ baseURL, apiKey, fetch }: Opening, model: string): OpenModel => ({
  async doStream(options) {
    const response = await fetch(`${baseURL}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify(bodyOf(model, options)),
      ...(options.abortSignal && { signal: options.abortSignal }),
    })
    const headers = Object.fromEntries(response.headers)
    if (!response.ok || !response.body)
      throw Object.assign(new Error(), {
        statusCode: response.status,
        responseHeaders: headers,
        responseBody: await response.text(),
      })
    return { stream: streamOf(partsOf(response.body)), response: { headers } }
  },
})

function bodyOf(model: string, options: LanguageModelV4CallOptions): object {
  const { prompt, tools, temperature, maxOutputTokens, providerOptions } = options
  return {
    model,
    messages: prompt.flatMap(toMessages),
    tools: tools?.map((tool) => {
      const { name } = tool
      const facts = tool.type === 'function' ? { description: tool.description, parameters: tool.inputSchema } : {}
      return { type: 'function', function: { name, ...facts } }
    }),
    options: { temperature, num_predict: maxOutputTokens, ...providerOptions?.ollama },
  }
}

function toMessages(message: LanguageModelV4Message): object[] {
  const { role, content } = message
  if (role === 'system') return [{ role, content }]
  if (role === 'tool')
    return content.flatMap((part) =>
      part.type === 'tool-result' ? [{ role, tool_name: part.toolName, content: outputOf(part.output) }] : [],
    )
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
  if (role === 'user') {
    const images = content.flatMap((part) =>
      part.type === 'file' && part.data.type === 'data' ? [toBase64(part.data.data)] : [],
    )
    return [{ role, content: text, ...(images.length > 0 && { images }) }]
  }
  const calls = content.flatMap((part) =>
    part.type === 'tool-call' ? [{ function: { name: part.toolName, arguments: part.input } }] : [],
  )
  return [{ role, content: text, ...(calls.length > 0 && { tool_calls: calls }) }]
}

type Output = Extract<
  Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

function outputOf(output: Output): string {
  const value = 'value' in output ? output.value : output
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toBase64(data: Uint8Array | string): string {
  if (typeof data === 'string') return data
  let binary = ''
  for (let start = 0; start < data.length; start += 8_192)
    binary += String.fromCharCode(...data.subarray(start, start + 8_192))
  return btoa(binary)
}

/** One line of the answer. */
interface Line {
  message?: {
    content?: string
    thinking?: string
    tool_calls?: { function: { name: string; arguments: unknown } }[]
  }
  done?: boolean
  done_reason?: string
  prompt_eval_count?: number
  eval_count?: number
  error?: unknown
}

async function* partsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<LanguageModelV4StreamPart> {
  let calls = 0
  for await (const line of linesOf(body)) {
    const { error, message = {}, done } = parse(line)
    if (error !== undefined) yield { type: 'error', error: { error } }
    if (message.thinking) yield { type: 'reasoning-delta', id: 'reasoning', delta: message.thinking }
    if (message.content) yield { type: 'text-delta', id: 'text', delta: message.content }
    for (const { function: call } of message.tool_calls ?? []) {
      calls += 1
      const input = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {})
      yield { type: 'tool-call', toolCallId: `call_${calls}`, toolName: call.name, input }
    }
    if (done) yield finishOf(parse(line), calls > 0)
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line.trim() !== '')
  }
  if (rest.trim() !== '') yield rest
}

function parse(line: string): Line {
  try {
    return JSON.parse(line)
  } catch {
    throw Object.assign(new Error('not JSON'), { name: 'AI_JSONParseError', value: undefined })
  }
}

function finishOf(
  { done_reason: raw, prompt_eval_count: input, eval_count: output }: Line,
  called: boolean,
): LanguageModelV4StreamPart {
  const unified = called ? 'tool-calls' : raw === 'length' ? 'length' : 'stop'
  return {
    type: 'finish',
    finishReason: { unified, raw: raw ?? unified },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
  }
}
