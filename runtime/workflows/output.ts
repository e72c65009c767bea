import { NodeError } from './node-type.ts'

/** Characters of a node's output as JSON. */
export const maxOutput = 10 * 1024 * 1024

/** The output as it is stored and passed on: JSON, without what JSON cannot express. */
export function storable(output: unknown): { json: string; value: unknown } {
  const json = jsonOf(output)
  if (json.length > maxOutput)
    throw new NodeError(
      'too_large',
      `The output has ${json.length} characters as JSON; a node returns at most ${maxOutput}`,
      { permanent: true },
    )
  return { json, value: typeof output === 'object' ? (JSON.parse(json) as unknown) : (output ?? null) }
}

function jsonOf(output: unknown): string {
  try {
    return JSON.stringify(output) ?? 'null'
  } catch (thrown) {
    // It is nested too deeply, for example.
    throw new NodeError('invalid_output', `The output cannot be written as JSON: ${String(thrown)}`, {
      permanent: true,
    })
  }
}
