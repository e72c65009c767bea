import { streamOffline } from '../../../runtime/models/offline/stream.ts'
import type { ModelCall, ModelEvent, ModelMessage, ToolResultPart, ToolSpec } from '../../../runtime/ports/models.ts'
import { wrapUntrusted } from '../../../runtime/untrusted.ts'

/** Saturday, 21 November 2026, 13:00 in Berlin. */
export const NOW = Date.parse('2026-11-21T12:00:00Z')
export const ALL_TOOLS =
  `time memory_save memory_search web_fetch http_request files ask_user todo schedule_job list_jobs
cancel_job arm_check_in browser project workflow`.split(/\s+/)

const OPTIONS = { now: () => NOW, timezone: 'Europe/Berlin' }
const MAX_STEPS = 20

export interface ToolUse {
  name: string
  input: Record<string, unknown>
}

export type Tool = (input: Record<string, unknown>) => unknown

export function user(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

export function assistant(text: string): ModelMessage {
  return { role: 'assistant', content: [{ type: 'text', text }] }
}

export function modelCall(
  messages: ModelMessage[],
  tools: readonly string[] = ALL_TOOLS,
  more: Partial<ModelCall> = {},
): ModelCall {
  const signal = new AbortController().signal
  const specs = tools.map((name): ToolSpec => ({ name, description: name, input_schema: { type: 'object' } }))
  return {
    provider: 'offline',
    model: 'offline',
    system: 'You help.',
    messages,
    tools: specs,
    signal,
    ...more,
  }
}

export async function events(call: ModelCall): Promise<ModelEvent[]> {
  return Array.fromAsync(streamOffline(call, OPTIONS))
}

/** One model call: its whole text and its tool calls. */
export async function ask(
  messages: ModelMessage[],
  tools?: readonly string[],
): Promise<{ text: string; calls: ToolUse[] }> {
  const all = await events(modelCall(messages, tools))
  return {
    text: textOf(all),
    calls: all
      .filter((event) => event.type === 'tool_call')
      .map(({ name, input }) => ({ name, input: input as ToolUse['input'] })),
  }
}

export function textOf(all: readonly ModelEvent[]): string {
  return all.map((event) => (event.type === 'text' ? event.text : '')).join('')
}

/** A conversation with tools that do their work: each request is answered by as many model calls as it takes. */
export class Conversation {
  readonly messages: ModelMessage[] = []
  readonly used: ToolUse[] = []
  private readonly tools: Record<string, Tool>
  private readonly untrusted: boolean

  /** With `untrusted`, results come wrapped, as in a conversation that has read a page. */
  constructor(tools: Record<string, Tool>, { untrusted = false } = {}) {
    this.tools = tools
    this.untrusted = untrusted
  }

  async say(request: string): Promise<string> {
    this.messages.push(user(request))
    for (let step = 0; step < MAX_STEPS; step++) {
      const all = await events(modelCall(this.messages, Object.keys(this.tools)))
      const calls = all.filter((event) => event.type === 'tool_call')
      const text = textOf(all)
      this.messages.push({
        role: 'assistant',
        content: [
          ...(text ? [{ type: 'text' as const, text }] : []),
          ...calls.map(({ id, name, input }) => ({ type: 'tool_call' as const, id, name, input })),
        ],
      })
      if (calls.length === 0) return text
      this.messages.push({
        role: 'tool',
        content: calls.map(({ id, name, input }) => this.perform(id, name, input as ToolUse['input'])),
      })
    }
    throw new Error(`"${request}" took more than ${MAX_STEPS} steps`)
  }

  private perform(id: string, name: string, input: ToolUse['input']): ToolResultPart {
    this.used.push({ name, input })
    try {
      const output = this.tools[name]?.(input)
      const wraps = this.untrusted && !/^(?:todo|.*_jobs?|time|project|memory_save)$/.test(name)
      return {
        type: 'tool_result',
        id,
        name,
        output: wraps ? wrapUntrusted(output) : output,
        is_error: false,
      }
    } catch (error) {
      return { type: 'tool_result', id, name, output: { error: (error as Error).message }, is_error: true }
    }
  }
}

/** Working tools over plain arrays and maps, with the shapes of the real ones. */
export function workingTools(pages: Record<string, { title: string; text: string }> = {}): Record<string, Tool> {
  const memories: { id: string; content: string }[] = []
  const files = new Map<string, string>()
  const todos: { id: string; text: string; done: boolean }[] = []
  const jobs: { id: string; name: string; status: string }[] = []
  return {
    time: ({ timezone = 'Europe/Berlin' }) => ({
      iso: new Date(NOW).toISOString(),
      local: '',
      timezone,
      weekday: 'Saturday',
    }),
    memory_save: ({ content }) => ({
      id: `m${memories.push({ id: `m${memories.length + 1}`, content: String(content) })}`,
    }),
    memory_search: ({ query }) => ({
      results: memories
        .filter(({ content }) => sharesWord(content, String(query)))
        .map((memory) => ({ ...memory, score: 0.5, created_at: '2026-11-21T12:00:00Z' })),
    }),
    web_fetch: ({ url }) => {
      const page = pages[String(url)]
      if (!page) throw new Error('getaddrinfo ENOTFOUND')
      return { url, status: 200, ...page, truncated: false }
    },
    files: (input) => filesTool(files, input),
    todo: (input) => todoTool(todos, input),
    schedule_job: ({ name }) => {
      jobs.push({ id: `job_${jobs.length + 1}`, name: String(name), status: 'active' })
      return { id: jobs.at(-1)?.id }
    },
    list_jobs: () => ({ jobs: structuredClone(jobs) }),
    cancel_job: ({ id }) => ({
      id: jobs.splice(
        jobs.findIndex((job) => job.id === id),
        1,
      )[0]?.id,
    }),
    project: ({ name }) => ({ id: 'p1', name }),
  }
}

function sharesWord(content: string, query: string): boolean {
  const known = content.toLowerCase().split(/\W+/)
  return query
    .toLowerCase()
    .split(/\W+/)
    .some((word) => word.length > 2 && known.includes(word))
}

function filesTool(files: Map<string, string>, input: Record<string, unknown>): unknown {
  const path = String(input.path)
  const content = files.get(path)
  if (input.action === 'list')
    return {
      entries: [...files].map(([name, text]) => ({ path: name, kind: 'file', size_bytes: text.length })),
    }
  if (input.action === 'write') files.set(path, String(input.content))
  if (input.action === 'write') return { path, size_bytes: String(input.content).length }
  if (input.action === 'search')
    return {
      matches: [...files].flatMap(([name, text]) =>
        text
          .split('\n')
          .flatMap((line, index) =>
            line.includes(String(input.query)) ? [{ path: name, line: index + 1, text: line }] : [],
          ),
      ),
    }
  if (input.action === 'append') {
    files.set(path, `${content ?? ''}${content ? '\n' : ''}${input.content}`)
    return { path, size_bytes: files.get(path)?.length }
  }
  if (content === undefined) throw new Error(`${path}: not found`)
  if (input.action === 'read') return { path, content }
  files.set(path, content.replaceAll(String(input.find), String(input.replace)))
  return { path, size_bytes: files.get(path)?.length }
}

function todoTool(
  todos: { id: string; text: string; done: boolean }[],
  { action, text, id }: Record<string, unknown>,
): unknown {
  const index = todos.findIndex((item) => item.id === id)
  const item = todos[index]
  if (action === 'add') todos.push({ id: `t${todos.length + 1}`, text: String(text), done: false })
  if (action === 'done' && item) item.done = true
  if (action === 'remove') todos.splice(index, 1)
  return { items: structuredClone(todos) }
}
