/** Milliseconds, nested calls, items of one list: what one evaluation may take. */
const bounds = { timeout: 250, stack: 250, sequence: 10_000 }

/** Characters and members that one value may have, however they are nested. */
const mostWeight = 200_000

/** A regular expression of a stranger can run for years, and nothing can stop it. */
class NoPatterns {
  constructor() {
    throw new Error(
      'regular expressions are not available here; use $contains, $substringBefore and the like',
    )
  }
}

/** Called with each value that an evaluation comes to. */
const exit = Symbol.for('jsonata.__evaluate_exit') as unknown as string

/** Reads a JSONata expression. Throws what is wrong with it, in words. */
async function compile(text: string) {
  const { default: jsonata } = await import('jsonata')
  const options = { ...bounds, RegexEngine: NoPatterns as unknown as RegExpConstructor }
  try {
    return jsonata(text, options)
  } catch (thrown) {
    throw new Error(messageOf(thrown))
  }
}

/** What is wrong with an expression, or null. */
export async function jsonataProblem(text: string): Promise<string | null> {
  try {
    await compile(text)
    return null
  } catch (thrown) {
    return messageOf(thrown)
  }
}

/**
 * Evaluates an expression over `data`, which must be JSON. It reads own members only, cannot reach the host, and is
 * ended when it takes too long or its values grow too large. Throws an `Error` in words.
 */
export async function evaluateJsonata(text: string, data: Record<string, unknown>): Promise<unknown> {
  const expression = await compile(text)
  expression.assign(exit, (...[, , , result]: unknown[]) => {
    if (weigh(result, mostWeight) < 0) throw new Error('its values grow too large')
  })
  try {
    return await expression.evaluate(data)
  } catch (thrown) {
    throw new Error(messageOf(thrown))
  }
}

/** What is left of `room` behind a value; below zero as soon as there is none. */
function weigh(value: unknown, room: number): number {
  let left = room - (typeof value === 'string' ? value.length + 1 : 1)
  if (typeof value !== 'object' || value === null) return left
  for (const member of Object.values(value)) {
    if (left < 0) break
    left = weigh(member, left)
  }
  return left
}

/** Its errors are plain objects with a message. */
function messageOf(thrown: unknown): string {
  const message = (thrown as { message?: unknown } | null)?.message
  return typeof message === 'string' ? message : String(thrown)
}
