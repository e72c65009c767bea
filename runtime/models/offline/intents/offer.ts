import { type Intent, matched, say } from '../types.ts'
import { VERBS } from '../verbs.ts'

const SHAPE =
  /^(?:I (?:need|have|want|ought|still need|still have) to |I (?:must|should) |(?:we|you) (?:need|have) to )?(?<task>(?<verb>\p{L}+) [^?]{2,160})$/iu

/** An order that no tool fulfils, such as "buy milk", can at least go on the list: that is offered, not done. */
export const offer: Intent = {
  name: 'offer',
  tools: ['todo'],
  examples: [],
  match(text, scene) {
    const { task = '', verb = '' } = SHAPE.exec(text)?.groups ?? {}
    if (!VERBS.has(verb.toLowerCase()) || !scene.tools.has('todo') || /["\n]/.test(task)) return null
    return matched(0.35, { task })
  },
  async *run({ slots }) {
    yield say(`I cannot do that myself.\nShall I add "${slots.task}" to your to-do list?`)
    return undefined
  },
}
