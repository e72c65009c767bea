import { calculate } from '../calculate/index.ts'
import { type Intent, matched, say } from '../types.ts'

const ASKED = /^(?:calculate|compute|evaluate|work out|do the maths?|convert)\b\s*(?<rest>.*)$/i
/** Dates, telephone numbers and versions look like sums. */
const NO_SUM = /^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\+?\d{2,}(?:[ -]\d{2,}){2,})$/
/** Numbers and signs only, yet no calculation: a parenthesis is missing, or an operand. */
const SUM_LIKE = /^[\d\s.,()]*\d[\d\s.,()]*[-+*/^%][\d\s.,()+*/^%-]*$/
const CURRENCY = /\b(?:usd|eur|gbp|jpy|chf|cny|inr|dollars?|euros?|yen|pounds? sterling|bitcoins?|btc|eth)\b/i

export const calculation: Intent = {
  name: 'calculate',
  title: 'Calculate and convert',
  tools: [],
  examples: ["what's 15% of 80", '5 miles in km'],
  match(text) {
    if (NO_SUM.test(text)) return null
    const result = calculate(text)
    if (result && (result.ok || /\d/.test(text))) return matched(0.96, { text })
    if (SUM_LIKE.test(text)) return matched(0.7, { text, rest: text })
    const rest = ASKED.exec(text)?.groups?.rest
    return rest === undefined ? null : matched(0.7, { text, rest })
  },
  async *run({ slots }) {
    const text = slots.text ?? ''
    yield say(answer(text, slots.rest))
    return { title: 'the result', text: answer(text, slots.rest) }
  },
}

function answer(text: string, rest: string | undefined): string {
  const result = calculate(text)
  if (result)
    return result.ok
      ? `${result.read} = ${result.value}`.replace('= ≈', '≈')
      : `I cannot compute ${result.read}: ${result.reason}.`
  if (!rest) return 'What should I calculate?'
  if (CURRENCY.test(text))
    return 'I know no exchange rates: they change, and I have no source for them. I can read a page that lists them if you give me its address.'
  return `I could not read "${rest}" as a calculation. I take + - * / ^ %, parentheses, sqrt, percentages such as "15% of 80", and units such as "5 miles in km".`
}
