/**
 * The questions that this model asks, with `*` for any text, and the request that the answer (`@`) and that
 * text (`*`) make.
 */
const QUESTIONS: readonly [question: string, request: string][] = [
  ['What should I remember?', 'remember that @'],
  ['What should I look for in memory?', 'what do you remember about @'],
  ['When should I remind you to *?', 'remind me to * @'],
  ['What should I remind you of *?', 'remind me * to @'],
  ['When should I do this: "*"?', 'schedule "*" @'],
  ['What should I do then (*)?', 'schedule "@" *'],
  ['Which web address should I read?', 'fetch @'],
  ['Which file should I read?', 'read the file @'],
  ['What should I write to *?', 'write "@" to *'],
  ['Which file should I write that to?', 'save it to @'],
  ['What should I search the files for?', 'search the files for "@"'],
  ['Which job should I cancel?', 'cancel the job @'],
  ['What should I add to your list?', 'add @ to my to-do list'],
  ['What should I calculate?', 'calculate @'],
  ['Which steps does "*" take?', 'plan *: @'],
  ['Which goal should I plan?', 'plan @'],
  ['Which text should I summarise?', 'summarise: @'],
  ['Which text should I read for names?', 'extract entities: @'],
  ['Which time zone do you mean', 'what time is it in @'],
  ['What should the project be called?', 'create a project called @'],
  ['Which workflow should I run?', 'run the workflow @'],
  ['What should the file be called?', 'create a file called @'],
  ['Shall I create the project "*"?', 'create a project called "*"'],
  ['Shall I add "*" to your to-do list?', 'add "*" to my to-do list'],
  ['Did you mean "*"?', '*'],
]

const patterns = QUESTIONS.map(([question, request]) => {
  const source = question.replace(/[.?()]/g, '\\$&').replace('*', '(.+)')
  return { asked: new RegExp(`^${source}`, 'm'), request, wantsYes: /^(?:Shall|Did)/.test(question) }
})

const YES =
  /^(?:yes|yeah|yep|sure|ok|okay|do it|go ahead|please do|correct|right|of course|exactly)(?: please| do)?$/i
const NO =
  /^(?:no|nope|nah|never ?mind|cancel|stop|forget it|leave it|nothing|skip|don'?t)(?: thanks| thank you| that)?$/i

export type Answered = { kind: 'resumed'; request: string } | { kind: 'declined' } | null

/**
 * Reads a reply to the last question. Null when nothing was asked, or "yes" answers a question that needs
 * more.
 */
export function readAnswer(said: string, reply: string): Answered {
  const text = reply.trim()
  for (const { asked, request, wantsYes } of patterns) {
    const found = asked.exec(said)
    if (!found) continue
    if (NO.test(text.replace(/(?<![.!])[.!]+$/, ''))) return { kind: 'declined' }
    if (YES.test(text.replace(/(?<![,.!])[,.!]+$/, '')) !== wantsYes) return null
    return {
      kind: 'resumed',
      request: request.replace(/[*@]/g, (mark) => (mark === '*' ? (found[1] ?? '') : text)),
    }
  }
  return null
}
