import { z } from 'zod'
import { coverage, keywordsOf } from '../english/words.ts'
import { clipped, firstSentence } from './text.ts'
import { type Tool, tool } from './tool.ts'

/** With more tools than this, deferrable ones are sent by name until the agent asks for them. */
const maxWhole = 30
/** Tools of one answer: their schemas are sent with every later call. */
const maxResults = 10
/** Characters of the line of one tool. */
const maxLine = 100
/** Characters of all lines; beyond that, only the names are sent. */
const maxLines = 16_000

const name = 'find_tools'

/** One value, so that its schema for models is made once. */
const Query = z.object({ query: z.string().min(1).max(500).describe('What the tool should do, or names of tools') })

/** The tools of a turn. If there are many, `find_tools` comes with them and lists those that it finds. */
export function withFinder(tools: readonly Tool[]): readonly Tool[] {
  const deferred = tools.filter((one) => one.deferrable)
  if (tools.length <= maxWhole || deferred.length === 0) return tools
  return [...tools.filter((one) => !one.deferrable), finderOf(deferred), ...deferred]
}

const finderOf = (deferred: readonly Tool[]): Tool =>
  tool({
    name,
    description:
      'Finds more tools, by what they do or by name, and makes them available from your next step on. The instructions ' +
      'list all of them. Returns the names and descriptions of those that fit best.',
    prompt: listOf(deferred),
    input: Query,
    summary: ({ query }) => `Find tools: ${clipped(query, 100)}`,
    run: async ({ query }) => {
      const tools = search(deferred, query).map(({ name, description }) => ({ name, description }))
      return tools.length > 0 ? { tools } : { tools, note: 'No tool fits; the instructions list all of them.' }
    },
  })

function listOf(deferred: readonly Tool[]): string {
  const lines = deferred.map((one) => `- ${one.name}: ${clipped(firstSentence(one.description), maxLine)}`)
  const whole = lines.join('\n')
  const text = whole.length <= maxLines ? whole : deferred.map((one) => one.name).join(', ')
  return `Further tools, which ${name} makes available:\n${text}`
}

/** Those that a query names, then those whose name and description have most of its words. */
function search(tools: readonly Tool[], query: string): Tool[] {
  const words = keywordsOf(query)
  return tools
    .map((one) => {
      const own = keywordsOf(one.name.replace(/_+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2'))
      const named = query.includes(one.name) ? 10 : 0
      return { one, score: named + 2 * coverage(words, own) + coverage(words, keywordsOf(one.description)) }
    })
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, maxResults)
    .map(({ one }) => one)
}

const Answer = z.object({ tools: z.array(z.object({ name: z.string() })) })

/** The names in the answers of `find_tools` so far, oldest first. */
export function requestedTools(parts: readonly { type: string; tool?: string; output?: unknown }[]): string[] {
  const answers = parts.filter((part) => part.type === 'tool_result' && part.tool === name)
  const names = answers.flatMap(({ output }) => Answer.safeParse(output).data?.tools ?? [])
  return [...new Set(names.map((one) => one.name))]
}

/**
 * The tools whose schemas a model is sent. Those that it asked for come last, in that order, so that whatever
 * was sent before stays where a vendor has cached it.
 */
export function sentTools(tools: readonly Tool[], requested: readonly string[]): readonly Tool[] {
  if (!tools.some((one) => one.name === name)) return tools
  const byName = new Map(tools.map((one) => [one.name, one]))
  const core = tools.filter((one) => !one.deferrable)
  return [...core, ...requested.flatMap((one) => byName.get(one) ?? []).filter((one) => one.deferrable)]
}
