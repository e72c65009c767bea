import type { ArgumentNames } from '../../runtime/ports/models.ts'
import { isRecord, parseJson } from './json.ts'

/** The body of the last request, for the reading of its refusal. */
export interface SentRequest {
  body: string
}

/** Sends the arguments of each request as its server takes them; `notice` receives the body. */
export function adjustArguments(
  fetch: typeof globalThis.fetch,
  names: ArgumentNames,
  sent: SentRequest,
  notice?: (body: string) => void,
): typeof globalThis.fetch {
  const adjusts = Object.keys(names).length > 0
  return (input, init) => {
    if (typeof init?.body !== 'string') return fetch(input, init)
    sent.body = adjusts ? adjusted(init.body, names) : init.body
    notice?.(sent.body)
    return fetch(input, { ...init, body: sent.body })
  }
}

function adjusted(text: string, names: ArgumentNames): string {
  const body = parseJson(text)
  if (!isRecord(body)) return text
  for (const part of partsOf(body)) rename(part, names)
  if (names.reasoning_content) completeReasoning(body, names.reasoning_content)
  return JSON.stringify(body)
}

function rename(part: Record<string, unknown>, names: ArgumentNames): void {
  for (const [usual, name] of Object.entries(names)) {
    if (!Object.hasOwn(part, usual) || name === usual) continue
    if (name !== '') part[name] = part[usual]
    delete part[usual]
  }
}

/** A server that expects earlier reasoning expects it with every tool call, even if there was none. */
function completeReasoning({ messages }: Record<string, unknown>, name: string): void {
  for (const message of records(messages))
    if (message.role === 'assistant' && message.tool_calls && message[name] === undefined) message[name] = ''
}

const records = (list: unknown) => (Array.isArray(list) ? list.filter(isRecord) : [])

/** The objects of a request in whose members vendors differ; the schemas of tools are not among them. */
function partsOf(body: Record<string, unknown>): Record<string, unknown>[] {
  const messages = [...records(body.messages), ...records(body.system)]
  const tools = records(body.tools)
  return [
    body,
    ...messages,
    ...messages.flatMap(({ content }) => records(content)),
    ...tools,
    ...tools.map((tool) => tool.function).filter(isRecord),
  ]
}

/** Without these there is no request. */
const essential = new Set(
  `model messages input contents prompt stream tools system instructions systemInstruction generationConfig options
  role content parts type text function name description parameters input_schema source image_url file
  tool_calls tool_call_id tool_use_id tool_name id`.split(/\s+/),
)

const unknown =
  /unrecogni[sz]ed|unknown|unexpected|unsupported|extra[ _](input|field|forbidden)|not permitted|not allowed|(not|n['’]t) support|additional propert|deprecated|cannot find field|not (a )?(valid|recogni[sz]ed|known)|(should|must) not|cannot be (used|set|specified|included)/i

const missing = /missing|required|must be|passed back|expected/i

/**
 * What a refusal says about the arguments of a request: those to leave out, to rename, or to send. Servers refuse in the
 * words of pydantic (vLLM, Mistral), LiteLLM, Azure, OpenAI, Groq, Google, Anthropic, DeepSeek and Python.
 */
export function readArguments(sentence: string, sent: string): ArgumentNames | undefined {
  const body = parseJson(sent)
  if (!isRecord(body)) return undefined
  const said = sentence.slice(0, maxSentence)
  const keys = new Set(partsOf(body).flatMap((part) => Object.keys(part)))
  const refused = [...keys].filter((key) => !essential.has(key) && isNamed(key, said))
  if (unknown.test(said) && refused.length > 0) {
    const instead = refused.length === 1 ? /\buse ['"`]?([a-z]\w*)['"`]? instead/i.exec(said)?.[1] : undefined
    return Object.fromEntries(refused.map((key) => [key, instead ?? '']))
  }
  const reasoning = ['reasoning_content', 'reasoning'].find((name) => isNamed(name, said))
  if (reasoning && missing.test(said) && !keys.has(reasoning)) return { reasoning_content: reasoning }
  return undefined
}

/** Characters; some servers repeat the whole request. */
const maxSentence = 1_500

/** Whether a sentence names an argument. A name that is also a word must stand as a name. */
function isNamed(name: string, sentence: string): boolean {
  if (/[_A-Z]/.test(name)) return new RegExp(`(?<!\\w)${name}(?!\\w)`).test(sentence)
  const before = `(?:['"\`.(\\[]|(?:parameter|argument|field|propert|supplied|name)\\w*:? |^|: )`
  return new RegExp(`${before}${name}(?:['"\`.,):\\]]|$| is | are | does )`, 'i').test(sentence)
}

/** The server takes no tools at all. */
export const refusesTools = (sentence: string): boolean =>
  unknown.test(sentence) && ['tools', 'functions', 'tool_choice'].some((name) => isNamed(name, sentence))
