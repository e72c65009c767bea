import { compose } from '../compose.ts'
import { lacks } from '../notice.ts'
import { capitalise, unquote } from '../text.ts'
import { call, type Intent, matchAny, matched, say } from '../types.ts'

const CREATES: readonly RegExp[] = [
  /^(?:create|start|make|open|set up|begin|run|new|add)\s+(?:me )?(?:an? |the )?(?:new )?project\b(?:\s+(?:called|named|for|about|to|on))?\s*:?\s*(?:"(?<quoted>[^"]+)"|(?<name>[^:,\n]+?))(?:\s*(?::|,|--?|\bto\b(?=\s+\w+\s+\w+)|\bthat\b|\bwith (?:the )?description\b)\s+(?<description>[\s\S]+))?$/i,
]
const STATUS: readonly RegExp[] = [
  /^(?:what(?:'s| is)|show(?: me)?|get|check|tell me)?\s*(?:the )?(?:status|progress|state) (?:of|on) (?:the |my )?project(?: called| named)?\s*(?<name>.*)$/i,
  /^(?:what(?:'s| is)|show(?: me)?|get|check|tell me)?\s*(?:the |my )?(?:(?<name>.+?) )?project(?:'s)? (?:status|progress|state)$/i,
  /^(?:the |my )?project (?:status|progress|state) (?:of|for|on) (?<name>.+)$/i,
  /^how(?:'s| is| are) (?:the |my )?project(?: called| named)?\s*(?<name>.*?)(?: (?:going|doing|coming along))?$/i,
  /^(?:is|are) (?:the |my )?project(?: called| named)? (?<name>.+?) (?:done|finished|ready|complete|on track)$/i,
  /^(?:list|show)(?: me)?(?: all)?(?: of)?(?: the| my)? projects$/i,
]
const NO_NAME = /^(?:create|start|make|new)\s+(?:an? |the )?(?:new )?project$/i

export const project: Intent = {
  name: 'project',
  title: 'Projects',
  tools: ['project'],
  examples: ['create a project called Garden: plant the beds', 'project status'],
  match(text) {
    if (NO_NAME.test(text)) return matched(0.85, { ask: 'What should the project be called?' })
    const status = matchAny(text, 0.9, STATUS)
    if (status) return { ...status, slots: { ...status.slots, action: 'status' } }
    const created = matchAny(text, 0.9, CREATES)
    return (
      created && {
        ...created,
        slots: { ...created.slots, action: 'create' },
        whole: created.slots.description !== undefined,
      }
    )
  },
  async *run({ slots }, scene) {
    const { ask, action, description } = slots
    const name = capitalise(unquote(slots.quoted ?? slots.name ?? ''))
    if (!scene.tools.has('project')) yield say(lacks('project'))
    else if (ask) yield say(ask)
    else
      yield say(
        compose(
          yield call('project', { action, ...(name && { name }), ...(description && { description }) }),
        ),
      )
    return undefined
  },
}
