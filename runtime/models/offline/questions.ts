import phrases from './phrases.json' with { type: 'json' }

/**
 * The questions that this model asks, with `*` for any text, and the request that the answer (`@`) and that
 * text (`*`) make.
 */
const questions = Object.entries(phrases.questions).map(([question, request]) => {
  const source = question.replace(/[.?()]/g, '\\$&').replace('*', '(.+)')
  return { asked: new RegExp(`^${source}`, 'm'), request, wantsYes: /^Shall/.test(question) }
})

const YES = /^(?:yes|yeah|yep|sure|ok|okay|do it|go ahead|correct|right|of course)(?: please| do)?[,.! ]*$/i
const NO =
  /^(?:no|nope|nah|never ?mind|cancel|stop|forget it|leave it|nothing|skip|don'?t)(?: thanks| thank you| that)?[.! ]*$/i

export type Answered = { kind: 'resumed'; request: string } | { kind: 'declined' } | null

/** Reads a reply to the last question. Null when nothing was asked, or "yes" answers a question that needs more. */
export function readAnswer(said: string, reply: string): Answered {
  const text = reply.trim()
  for (const { asked, request, wantsYes } of questions) {
    const found = asked.exec(said)
    if (!found) continue
    if (NO.test(text)) return { kind: 'declined' }
    if (YES.test(text) !== wantsYes) return null
    const filled = request.replace(/[*@]/g, (mark) => (mark === '*' ? (found[1] ?? '') : text))
    return { kind: 'resumed', request: filled }
  }
  return null
}
