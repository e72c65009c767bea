import { compose } from '../compose.ts'
import { lacks } from '../notice.ts'
import { unquote } from '../text.ts'
import { call, type Intent, matchAny, matched, say } from '../types.ts'

const RUNS: readonly RegExp[] = [
  /^(?:run|start|execute|trigger|launch)\s+(?:the |my )?workflow(?: called| named)?\s+(?<name>.+)$/i,
  /^(?:run|start|execute|trigger|launch)\s+(?:the |my )?(?<name>.+?)\s+workflow$/i,
]
const STATUS: readonly RegExp[] = [
  /^(?:what(?:'s| is)|show(?: me)?|get|check|tell me)?\s*(?:the )?(?:status|progress|state) (?:of|on) (?:the |my )?workflow(?: called| named)?\s+(?<name>.+)$/i,
  /^(?:what(?:'s| is)|show(?: me)?|get|check|tell me)?\s*(?:the )?(?:status|progress|state) (?:of|on) (?:the |my )?(?<name>.+?) workflow$/i,
  /^(?:show(?: me)?|get|check)?\s*(?:the |my )?(?<name>.+?) workflow (?:status|progress|state)$/i,
  /^how(?:'s| is) (?:the |my )?workflow (?<name>.+?)(?: (?:going|doing))?$/i,
]

export const workflow: Intent = {
  name: 'workflow',
  title: 'Workflows',
  tools: ['workflow'],
  examples: ['run the workflow nightly-report', 'status of the workflow nightly-report'],
  match(text) {
    if (/^(?:run|start) (?:an? |the |my )?workflow$/i.test(text)) return matched(0.85)
    const status = matchAny(text, 0.9, STATUS)
    if (status) return { ...status, slots: { ...status.slots, action: 'status' } }
    const run = matchAny(text, 0.9, RUNS)
    return run && { ...run, slots: { ...run.slots, action: 'run' } }
  },
  async *run({ slots }, scene) {
    if (!scene.tools.has('workflow')) yield say(lacks('workflow'))
    else if (!slots.name) yield say('Which workflow should I run?')
    else yield say(compose(yield call('workflow', { action: slots.action, name: unquote(slots.name) })))
    return undefined
  },
}
