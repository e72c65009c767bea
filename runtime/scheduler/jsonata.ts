/**
 * Limits of one evaluation: milliseconds, nested calls, items of one list (`$distinct` compares each with
 * each).
 */
const limits = { timeout: 250, stack: 250, sequence: 2_000 }

/** Characters and members of one value, including nested ones. */
const maxSize = 200_000

/** JSONata calls this hook with each value of an evaluation. */
const exitHook = Symbol.for('jsonata.__evaluate_exit') as unknown as string

/** Parses an expression. Throws an `Error` that says what is wrong with it. */
async function compile(text: string) {
  const { default: jsonata } = await import('jsonata')
  const { LinearPattern } = await import('../linear-pattern.ts')
  const options = { ...limits, RegexEngine: LinearPattern as unknown as RegExpConstructor }
  try {
    const expression = jsonata(text, options)
    expression.registerFunction('pad', pad, '<s-ns?:s>')
    expression.registerFunction('join', join, '<a<s>s?:s>')
    return expression
  } catch (thrown) {
    throw new Error(messageOf(thrown))
  }
}

// JSONata limits the output of these functions only afterwards.

function pad(text: string | undefined, width: number, fill = ' '): string | undefined {
  if (text === undefined) return undefined
  refuseLarger(Math.abs(width) * fill.length)
  const added = (fill || ' ')
    .repeat(Math.abs(width))
    .slice(0, Math.max(0, Math.abs(width) - [...text].length))
  return width < 0 ? added + text : text + added
}

function join(parts: string[] | undefined, separator = ''): string | undefined {
  if (parts === undefined) return undefined
  refuseLarger(parts.length * separator.length)
  return parts.join(separator)
}

function refuseLarger(size: number): void {
  if (size > maxSize) throw new Error('its values grow too large')
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
 * Evaluates an expression over `data`, which must be JSON. It reads own members only, cannot reach the host,
 * and is stopped when it takes too long or its values grow too large. Throws an `Error` that says why.
 */
export async function evaluateJsonata(text: string, data: Record<string, unknown>): Promise<unknown> {
  const expression = await compile(text)
  expression.assign(exitHook, (...[, , , result]: unknown[]) => {
    refuseLarger(maxSize - remaining(result, maxSize))
  })
  try {
    return await expression.evaluate(data)
  } catch (thrown) {
    throw new Error(messageOf(thrown))
  }
}

/** `size` minus the size of a value; negative as soon as the value does not fit. */
function remaining(value: unknown, size: number): number {
  let left = size - (typeof value === 'string' ? value.length + 1 : 1)
  if (typeof value !== 'object' || value === null) return left
  for (const member of Object.values(value)) {
    if (left < 0) break
    left = remaining(member, left)
  }
  return left
}

/** JSONata throws plain objects with a message. */
function messageOf(thrown: unknown): string {
  const message = (thrown as { message?: unknown } | null)?.message
  return typeof message === 'string' ? message : String(thrown)
}
