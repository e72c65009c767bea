import { conditionExpression, olderExpression } from './conditions.ts'
import { NotExact } from './script.ts'
import { type Fields, skipped, type Translate, type Translated, type Translating } from './translating.ts'

/** The nodes that decide which nodes run next, and how often. */
export const branches: Readonly<Record<string, Translate>> = {
  if: condition,
  filter(node) {
    node.report('conditions', 'applies to the whole input; in n8n it filters the items of a list')
    return { ...condition(node), outputs: ['true'] }
  },
  switch: switchNode,
  merge(node) {
    const mode = String(node.parameters.mode ?? 'append')
    if (mode === 'append') return { type: 'merge', params: { mode: 'append' } }
    if (mode === 'chooseBranch' || mode === 'passThrough' || mode === 'wait') {
      node.report('mode', 'passes on what arrives first; in n8n one branch is chosen', node.parameters)
      return { type: 'merge', params: { mode: 'first' } }
    }
    node.report('mode', 'joins the fields of both branches; items are not matched', node.parameters)
    return { type: 'merge', params: { mode: 'object' } }
  },
  splitInBatches(node) {
    const { parameters, version } = node
    skipped(node, 'options', parameters.options)
    const batch_size = Number(parameters.batchSize ?? (version >= 3 ? 1 : 10))
    if (!Number.isInteger(batch_size)) throw new NotExact('a batch size from an expression has no equivalent')
    const outputs = version >= 3 ? ['done', 'loop'] : ['loop', 'done']
    return { type: 'loop', params: { items: '=input', batch_size, only_items: true }, outputs }
  },
}

/** The expression of a comparison. One that cannot be translated stays where it is and fails when it runs. */
function comparison(node: Translating, field: string, given: unknown, translated: () => string): string {
  try {
    return translated()
  } catch (thrown) {
    if (!(thrown instanceof NotExact)) throw thrown
    node.report(field, `cannot be translated exactly and fails when it runs: ${thrown.message}`, given)
    return '$error("This comparison could not be imported from n8n: rewrite it")'
  }
}

function condition(node: Translating): Translated {
  const { conditions, combineOperation } = node.parameters
  const translated = () => conditionExpression(conditions, combineOperation === 'any', node.expression)
  return {
    type: 'condition',
    params: { expression: comparison(node, 'conditions', conditions, translated) },
    outputs: ['true', 'false'],
  }
}

function switchNode(node: Translating): Translated {
  const { rules, mode, options } = node.parameters
  if (mode === 'expression') throw new NotExact('an output number from an expression has no equivalent')
  const { values } = (rules ?? {}) as { values?: Fields[] }
  const { fallbackOutput, allMatchingOutputs } = (options ?? {}) as Fields
  if (allMatchingOutputs === true)
    throw new NotExact('continuing at every case that is true has no equivalent')
  const cases = values
    ? values.map(({ conditions, outputKey }, index) => ({
        name: String(outputKey ?? '').slice(0, 100),
        expression: comparison(node, `cases.${index}`, conditions, () =>
          conditionExpression(conditions, false, node.expression),
        ),
      }))
    : olderCases(node)
  if (cases.length === 0) throw new NotExact('it has no rules')
  const fallback = fallbackOf(fallbackOutput ?? node.parameters.fallbackOutput, cases.length)
  const outputs: string[][] = cases.map((_, index) => [`case:${index}`])
  // Items that match no case: Otherwise leads to what this output leads to.
  if (fallback !== null) outputs[fallback] = [...(outputs[fallback] ?? []), 'main']
  return { type: 'switch', params: { cases }, outputs: Array.from(outputs, (names) => names ?? []) }
}

/** The output for items that match no case; null if they are dropped. */
function fallbackOf(given: unknown, cases: number): number | null {
  if (given === undefined || given === null || given === 'none' || Number(given) === -1) return null
  if (given === 'extra' || given === 'last') return cases
  const output = given === '' ? Number.NaN : Number(given)
  if (!Number.isInteger(output) || output < 0 || output > 100)
    throw new NotExact('its fallback output is not known')
  return output
}

/**
 * Rules of versions 1 and 2, which compare one value and may share an output. The first rule that is true decides, even
 * if its output comes later.
 */
function olderCases(node: Translating) {
  const { rules, value1, dataType = 'number' } = node.parameters
  const old = (rules as { rules?: Fields[] } | undefined)?.rules ?? []
  const numbers = old.map(({ output }, index) => Number(output ?? (node.version >= 2 ? index : 0)))
  const count = Math.max(-1, ...numbers) + 1
  const isTrue = (rule: Fields) => olderExpression(String(dataType), { ...rule, value1 }, node.expression)
  return Array.from({ length: count }, (_, number) => {
    const own = old.filter((__, index) => numbers[index] === number)
    const decides = (rule: Fields) => {
      const before = old.slice(0, old.indexOf(rule)).filter((__, index) => (numbers[index] ?? 0) > number)
      return [isTrue(rule), ...before.map((other) => `$not(false or ${isTrue(other)})`)].join(' and ')
    }
    const translated = () => own.map(decides).join(' or ')
    return {
      name: String(own[0]?.outputKey ?? '').slice(0, 100),
      expression: own.length === 0 ? 'false' : comparison(node, `cases.${number}`, own, translated),
    }
  })
}
