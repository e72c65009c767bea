/** A question this model asks, and how the answer completes the request. */
interface Question {
  asked: RegExp
  resume(answer: string, found: RegExpExecArray): string
}

const QUESTIONS: readonly Question[] = [
  { asked: /^What should I remember\?$/m, resume: (answer) => `remember that ${answer}` },
  {
    asked: /^What should I look for in memory\?$/m,
    resume: (answer) => `what do you remember about ${answer}`,
  },
  {
    asked: /^When should I remind you to (.+)\?$/m,
    resume: (answer, found) => `remind me to ${found[1]} ${answer}`,
  },
  {
    asked: /^What should I remind you of (.+)\?$/m,
    resume: (answer, found) => `remind me ${found[1]} to ${answer}`,
  },
  {
    asked: /^When should I do this: "(.+)"\?$/m,
    resume: (answer, found) => `schedule "${found[1]}" ${answer}`,
  },
  {
    asked: /^What should I do then \((.+)\)\?$/m,
    resume: (answer, found) => `schedule "${answer}" ${found[1]}`,
  },
  { asked: /^Which web address should I read\?$/m, resume: (answer) => `fetch ${answer}` },
  { asked: /^Which file should I read\?$/m, resume: (answer) => `read the file ${answer}` },
  {
    asked: /^What should I write to (.+)\?$/m,
    resume: (answer, found) => `write "${answer}" to ${found[1]}`,
  },
  { asked: /^Which file should I write that to\?$/m, resume: (answer) => `save it to ${answer}` },
  {
    asked: /^What should I search the files for\?$/m,
    resume: (answer) => `search the files for "${answer}"`,
  },
  { asked: /^Which job should I cancel\?/m, resume: (answer) => `cancel the job ${answer}` },
  { asked: /^What should I add to your list\?$/m, resume: (answer) => `add ${answer} to my to-do list` },
  { asked: /^What should I calculate\?$/m, resume: (answer) => `calculate ${answer}` },
  { asked: /^Which steps does "(.+)" take\?/m, resume: (answer, found) => `plan ${found[1]}: ${answer}` },
  { asked: /^Which goal should I plan\?$/m, resume: (answer) => `plan ${answer}` },
  { asked: /^Which text should I summarise\?/m, resume: (answer) => `summarise: ${answer}` },
  { asked: /^Which text should I read for names\?/m, resume: (answer) => `extract entities: ${answer}` },
  { asked: /^Which time zone do you mean/m, resume: (answer) => `what time is it in ${answer}` },
  {
    asked: /^What should the project be called\?$/m,
    resume: (answer) => `create a project called ${answer}`,
  },
  { asked: /^Which workflow should I run\?$/m, resume: (answer) => `run the workflow ${answer}` },
  {
    asked: /^Shall I create the project "(.+)"\?$/m,
    resume: (_, found) => `create a project called "${found[1]}"`,
  },
  {
    asked: /^Shall I add "(.+)" to your to-do list\?$/m,
    resume: (_, found) => `add "${found[1]}" to my to-do list`,
  },
  { asked: /^What should the file be called\?$/m, resume: (answer) => `create a file called ${answer}` },
  { asked: /^Did you mean "(.+)"\?$/m, resume: (_, found) => found[1] ?? '' },
]

const YES =
  /^(?:yes|yeah|yep|sure|ok|okay|do it|go ahead|please do|correct|right|of course|exactly)(?: please| do)?$/i
const NO =
  /^(?:no|nope|nah|never ?mind|cancel|stop|forget it|leave it|nothing|skip|don'?t)(?: thanks| thank you| that)?$/i

export type Answered = { kind: 'resumed'; request: string } | { kind: 'declined' } | null

/** Reads a reply to what was asked last. Null when nothing was asked, or "yes" answers a question that wants words. */
export function readAnswer(said: string, reply: string): Answered {
  const text = reply.trim()
  for (const { asked, resume } of QUESTIONS) {
    const found = asked.exec(said)
    if (!found) continue
    if (NO.test(text.replace(/[.!]+$/, ''))) return { kind: 'declined' }
    const yes = YES.test(text.replace(/[,.!]+$/, ''))
    if (/^(?:Shall|Did)/.test(found[0]) !== yes) return null
    return { kind: 'resumed', request: resume(text, found) }
  }
  return null
}
