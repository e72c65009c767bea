import { ADD_PROVIDER } from '../notice.ts'
import { rows, textField } from '../outcome.ts'
import { similarWords, stems } from '../text.ts'
import { call, type Intent, matched, type Outcome, say } from '../types.ts'
import { toldBack } from './recall.ts'

const QUESTION =
  /^(?:what|who|whom|whose|where|when|why|how|which|is|are|was|were|does|do|did|can|could|should|will|would|has|have|explain|define|describe|tell me|teach me|give me|compare)\b/i
const LIMIT = 'I cannot answer that from knowledge: I carry no learned facts, only rules and tools.'

/** Questions that no rule knows. Memory may hold the answer; if it does not, that is said. */
export const knowledge: Intent = {
  name: 'knowledge',
  tools: [],
  examples: [],
  match(text) {
    return QUESTION.test(text) && text.includes(' ') ? matched(0.3, { query: text }) : null
  },
  async *run({ slots }, scene) {
    const query = slots.query ?? ''
    if (!scene.tools.has('memory_search') || stems(query).length === 0) {
      yield say(`${LIMIT} ${ADD_PROVIDER}`)
      return undefined
    }
    const found = yield call('memory_search', { query, limit: 5 })
    const known = fitting(found, query)
    yield say(
      known === ''
        ? `${LIMIT} Nothing in memory answers it either. ${ADD_PROVIDER}`
        : `From memory: ${known}`,
    )
    return undefined
  },
}

/** Only a memory that names all that was asked for counts as an answer. */
function fitting(found: Outcome, query: string): string {
  if (found.failed) return ''
  const contents = rows(found.output, 'results').map((row) => textField(row, 'content'))
  const fits = contents.filter((content) => similarWords(query, content) >= 0.99)
  return fits.slice(0, 3).map(toldBack).join('; ')
}
