import type { ToolSpec } from '../../../ports/models.ts'
import { compose } from '../compose.ts'
import { record } from '../outcome.ts'
import { joinList, unquote } from '../text.ts'
import { call, type Intent, matched, type Scene, say } from '../types.ts'

const SHAPE =
  /^(?:use|call|run|invoke|execute)\s+(?:the )?(?:tool )?"?(?<name>[\w.:-]+)"?(?: tool)?(?:\s+(?:with|on|using|for)?:?\s*(?<rest>[\s\S]+))?$/i

/** Any tool can be called by its name, with JSON or `key=value` pairs: so skills and tool servers work offline too. */
export const useTool: Intent = {
  name: 'use_tool',
  tools: [],
  examples: [],
  content: true,
  match(text, scene) {
    const { name = '', rest = '' } = SHAPE.exec(text)?.groups ?? {}
    const tool = findTool(name, scene)
    return tool
      ? { ...matched(rest === '' ? 0.55 : 0.86, { name: tool.name, rest }), whole: /[{=]/.test(rest) }
      : null
  },
  async *run({ slots }, scene) {
    const tool = findTool(slots.name ?? '', scene)
    const input = tool && readInput(slots.rest ?? '', tool)
    if (!tool || !input) {
      yield say(
        `I could not read the input for ${slots.name}. Write it as JSON: use ${slots.name} with {"key": "value"}.`,
      )
      return undefined
    }
    const absent = required(tool).filter((key) => !(key in input))
    if (absent.length > 0)
      yield say(
        `${tool.name} needs ${joinList(absent)}: use ${tool.name} with {${absent.map((key) => `"${key}": …`).join(', ')}}.`,
      )
    else yield say(compose(yield call(tool.name, input)))
    return undefined
  },
}

function findTool(name: string, scene: Scene): ToolSpec | undefined {
  const wanted = name.toLowerCase()
  return [...scene.tools.values()].find((tool) => tool.name.toLowerCase() === wanted && wanted !== '')
}

function required(tool: ToolSpec): string[] {
  const list = tool.input_schema.required
  return Array.isArray(list) ? list.filter((key) => typeof key === 'string') : []
}

function readInput(text: string, tool: ToolSpec): Record<string, unknown> | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return {}
  if (trimmed.startsWith('{')) return parseObject(trimmed)
  const pairs = [...trimmed.matchAll(/([\w-]+)\s*=\s*("[^"]*"|'[^']*'|\S+)/g)]
  if (pairs.length > 0)
    return Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, unquote(value)]))
  const [only, ...more] = required(tool)
  return only && more.length === 0 ? { [only]: unquote(trimmed) } : undefined
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? record(value) : undefined
  } catch {
    return undefined
  }
}
