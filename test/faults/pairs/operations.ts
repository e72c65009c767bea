import { create as createConversation, list as listConversations } from '../../../handlers/chat/conversations.ts'
import { inject as addMessage, search as searchMessages } from '../../../handlers/chat/messages.ts'
import { inject as dispatch } from '../../../handlers/dispatcher/decisions.ts'
import { list as listFiles } from '../../../handlers/files/files.ts'
import { create as createLoop, list as listLoops } from '../../../handlers/loops/loops.ts'
import { create as addEpisode } from '../../../handlers/memory/episodes.ts'
import { graph } from '../../../handlers/memory/graph.ts'
import { search as searchMemory } from '../../../handlers/memory/search.ts'
import { logs } from '../../../handlers/monitoring/logs.ts'
import { create as createProject, list as listProjects } from '../../../handlers/projects/projects.ts'
import { list as listJobs } from '../../../handlers/scheduler/jobs.ts'
import { create as createWorkflow, list as listWorkflows } from '../../../handlers/workflows/workflows.ts'
import { requireDefaultAgent } from '../../../runtime/agents/agents.ts'
import type { Context } from '../../../runtime/context.ts'
import { coverage, keywordsOf } from '../../../runtime/english/words.ts'
import type { Host } from '../../../runtime/host.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { sameFacts, sameText } from '../../../runtime/memory/capture/duplicate.ts'
import { isSaved } from '../../../runtime/memory/capture/exchange.ts'
import { isOwnWords, saveNote } from '../../../runtime/memory/capture/notes.ts'
import { withoutRecalled } from '../../../runtime/memory/capture/rules.ts'
import { toMentions } from '../../../runtime/memory/graph/mentions.ts'
import { factsIn } from '../../../runtime/memory/graph/rule-reader.ts'
import { recall, usageIn } from '../../../runtime/memory/recall/recall.ts'
import { contentLimit, NewEpisode } from '../../../runtime/memory/schema.ts'
import { Workspace } from '../../../runtime/tools/workspace.ts'
import { uploaded } from '../../files/kit.ts'
import { call } from '../../support/call.ts'
import { chat } from '../../support/chat.ts'
import { adminCaller, peer } from '../../support/host.ts'
import { newJob } from '../../support/scheduler.ts'

/** A place where a stored text meets one of a request. The limits are in characters. */
export interface Operation {
  name: string
  stored: number
  asked: number
  /** Stores the text, and returns what runs with the other one. */
  open(host: Host, stored: string): Promise<(asked: string) => Promise<unknown>>
}

export const contextOn = (host: Host): Context => ({
  ...contextOf(new Request('http://127.0.0.1:18781/'), host, peer),
  caller: adminCaller,
})

async function ok(response: Promise<Response>): Promise<void> {
  const { status } = await response
  if (status >= 300) throw new Error(`HTTP ${status}: ${await (await response).text()}`)
}

/** A name may not begin or end with a space. */
const inner = (text: string): string => `x${text.slice(2)}x`.toWellFormed()

const remember = (host: Host, content: string) => ok(call(addEpisode, host, { body: { content } }))

const memorySearch = (mode: string): Operation => ({
  name: `memory search, ${mode}`,
  stored: contentLimit,
  asked: 10_000,
  async open(host, stored) {
    await remember(host, stored)
    return (q) => ok(call(searchMemory, host, { query: { q, mode } }))
  },
})

const pure = (
  name: string,
  limits: { stored: number; asked: number },
  run: (stored: string, asked: string) => unknown,
): Operation => ({
  name,
  ...limits,
  open: async (_, stored) => async (asked) => run(stored, asked),
})

const memories = { stored: contentLimit, asked: contentLimit }

export const operations: readonly Operation[] = [
  memorySearch('keyword'),
  memorySearch('hybrid'),
  memorySearch('semantic'),
  {
    name: 'recall',
    stored: contentLimit,
    asked: 100_000,
    async open(host, stored) {
      await remember(host, stored)
      const agent = await requireDefaultAgent(contextOn(host))
      return (said) => recall(contextOn(host), { agent, conversation_id: 'conv_x', said, before: '' })
    },
  },
  {
    name: 'chat message',
    stored: contentLimit,
    // With the bytes that the body of a request may have.
    asked: 60_000,
    async open(host, stored) {
      await remember(host, stored)
      return (message) => chat(host, { message })
    },
  },
  {
    name: 'note of an agent, duplicates',
    ...memories,
    async open(host, stored) {
      await remember(host, stored)
      const note = { ...NewEpisode.parse({ content: 'x' }), trust: 'owner' as const }
      return (content) => saveNote(contextOn(host), { ...note, content } as Parameters<typeof saveNote>[1])
    },
  },
  pure('same text', memories, sameText),
  pure('same facts', memories, sameFacts),
  pure('whether a note repeats the person', memories, (stored, asked) => isOwnWords(stored, asked)),
  pure('whether an agent saved it', memories, (stored, asked) => isSaved(stored, [asked])),
  pure('reply without recalled memories', memories, (stored, asked) => withoutRecalled(stored, [asked])),
  pure('whether an answer used a memory', memories, (stored, asked) =>
    usageIn({ text: stored, said: '' })({ id: 'ep_1', text: asked }),
  ),
  {
    name: 'mentions of an entity',
    stored: 2 * contentLimit,
    asked: 500,
    open: async (host, stored) => async (name) => toMentions(host, [{ name, type: 'other' }], stored),
  },
  {
    name: 'graph of entities',
    stored: contentLimit,
    asked: 200,
    async open(host, stored) {
      await remember(host, stored)
      return (q) => ok(call(graph, host, { query: { q } }))
    },
  },
  {
    name: 'search in messages',
    stored: 200_000,
    asked: 20_000,
    async open(host, stored) {
      const created = await call(createConversation, host, { body: { title: 'Notes' } })
      const { id } = (await created.json()) as { id: string }
      await ok(call(addMessage, host, { body: { conversation_id: id, role: 'user', content: stored } }))
      return (q) => ok(call(searchMessages, host, { query: { q } }))
    },
  },
  {
    name: 'search in conversations',
    stored: 200,
    asked: 200,
    async open(host, stored) {
      for (let count = 0; count < 200; count += 1)
        await ok(call(createConversation, host, { body: { title: inner(stored) } }))
      return (search) => ok(call(listConversations, host, { query: { search } }))
    },
  },
  {
    name: 'search in projects',
    stored: 10_000,
    asked: 200,
    async open(host, stored) {
      await ok(call(createProject, host, { body: { name: 'A', description: inner(stored) } }))
      return (search) => ok(call(listProjects, host, { query: { search } }))
    },
  },
  {
    name: 'search in jobs',
    stored: 200,
    asked: 200,
    async open(host, stored) {
      for (let count = 0; count < 100; count += 1) await newJob(host, { name: inner(stored) })
      return (search) => ok(call(listJobs, host, { query: { search } }))
    },
  },
  {
    name: 'search in loops',
    stored: 4_000,
    asked: 200,
    async open(host, stored) {
      const body = { goal: inner(stored), verification: { kind: 'human', spec: {} } }
      for (let count = 0; count < 20; count += 1) await ok(call(createLoop, host, { body }))
      return (search) => ok(call(listLoops, host, { query: { search } }))
    },
  },
  {
    name: 'search in workflows',
    stored: 2_000,
    asked: 200,
    async open(host, stored) {
      for (let count = 0; count < 20; count += 1)
        await ok(call(createWorkflow, host, { body: { name: 'A', description: inner(stored) } }))
      return (search) => ok(call(listWorkflows, host, { query: { search } }))
    },
  },
  {
    name: 'search in the names of files',
    stored: 200,
    asked: 200,
    async open(host, stored) {
      for (let count = 0; count < 100; count += 1) await uploaded(host, 'x', { name: inner(stored) })
      return (search) => ok(call(listFiles, host, { query: { search } }))
    },
  },
  {
    name: 'facts of an episode',
    stored: contentLimit,
    asked: contentLimit,
    open: async (_, content) => async (reply) => {
      const episode = { content, reply, trust: 'owner', created_at: '2026-01-05T12:00:00.000Z' } as const
      await factsIn(episode)
    },
  },
  {
    name: 'search in the log',
    stored: 10_000,
    asked: 200,
    async open(host, stored) {
      for (let count = 0; count < 100; count += 1) host.log.write('info', stored)
      return (text) => ok(call(logs, host, { query: { text } }))
    },
  },
  {
    name: 'search in files',
    stored: 200_000,
    asked: 1_000,
    async open(host, stored) {
      const workspace = new Workspace(host.files, 'workspaces/x', new AbortController().signal)
      await host.files.write('workspaces/x', 'x.txt', new TextEncoder().encode(stored))
      return (query) => workspace.search('', query, 10)
    },
  },
  {
    name: 'dispatcher',
    stored: 60_000,
    asked: 60_000,
    async open(host, stored) {
      await ok(call(dispatch, host, { body: { text: stored, intent: 'chat' } }))
      return (text) => ok(call(dispatch, host, { body: { text, dry_run: true } }))
    },
  },
  pure('similar words', memories, (stored, asked) => coverage(keywordsOf(asked), keywordsOf(stored))),
  pure('text to replace in a file', { stored: 1_000_000, asked: 100_000 }, (stored, asked) => stored.split(asked)),
]
