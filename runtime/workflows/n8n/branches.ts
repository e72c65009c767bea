import { scriptExpression } from '../script/template.ts'
import { conditionExpression, olderCode } from './conditions.ts'
import { NotExact, skipped } from './equivalent.ts'
import { mergeNode } from './merge.ts'
import { codeOf } from './texts.ts'
import type { Fields, Translate, Translated, Translating } from './translating.ts'

/** The nodes that decide which nodes run next, and how often. */
export const branches: Readonly<Record<string, Translate>> = {
  if: condition,
  filter: (node) => ({ ...condition(node), outputs: ['true'] }),
  switch: switchNode,
  merge: mergeNode,
  splitInBatches(node) {
    const { parameters, version } = node
    skipped(node, 'options', parameters.options)
    const batch_size = Number(parameters.batchSize ?? (version >= 3 ? 1 : 10))
    if (!Number.isInteger(batch_size)) throw new NotExact('a batch size from an expression has no equivalent')
    const outputs = version >= 3 ? ['done', 'loop'] : ['loop', 'done']
    return { type: 'loop', params: { items: '=input', batch_size, only_items: true }, outputs }
  },
}

function condition({ parameters }: Translating): Translated {
  const { conditions, combineOperation, combineConditions } = parameters
  const any = combineOperation === 'any' || combineConditions === 'OR'
  return {
    type: 'condition',
    params: { expression: conditionExpression(conditions, any) },
    outputs: ['true', 'false'],
  }
}

function switchNode(node: Translating): Translated {
  const { rules, mode, options, output, outputsAmount, numberOutputs } = node.parameters
  if (mode === 'expression') return numbered(output, Number(numberOutputs ?? outputsAmount ?? 4))
  const { values } = (rules ?? {}) as { values?: Fields[] }
  const { fallbackOutput, allMatchingOutputs } = (options ?? {}) as Fields
  const cases = values
    ? values.map(({ conditions, outputKey }) => ({
        name: String(outputKey ?? '').slice(0, 100),
        expression: conditionExpression(conditions),
      }))
    : olderCases(node)
  if (cases.length === 0) throw new NotExact('it has no rules')
  const fallback = fallbackOf(fallbackOutput ?? node.parameters.fallbackOutput, cases.length)
  const isCase = fallback !== null && fallback < cases.length
  const outputs: string[][] = cases.map((_, index) => [`case:${index}`])
  if (fallback !== null && !isCase) outputs[fallback] = ['main']
  return {
    type: 'switch',
    params: {
      cases,
      ...(allMatchingOutputs === true ? { all: true } : {}),
      ...(isCase ? { otherwise: fallback } : {}),
    },
    outputs: Array.from(outputs, (names) => names ?? []),
  }
}

/** An expression says the number of the output. */
function numbered(output: unknown, count: number): Translated {
  const numbers = Array.from({ length: Math.min(50, count) }, (_, index) => index)
  const number = `$typed(${codeOf(output ?? 0)}, "number")`
  const check = `[${numbers}].includes(${number}) || $fail("There is no such output")`
  const cases = numbers.map((index) => ({
    name: String(index),
    expression: scriptExpression(`(${index === 0 ? check : 'true'}) && ${number} === ${index}`),
  }))
  return { type: 'switch', params: { cases }, outputs: numbers.map((index) => `case:${index}`) }
}

/** The output for items that match no case; null if they are dropped. */
function fallbackOf(fallback: unknown, cases: number): number | null {
  if (fallback === undefined || fallback === null || fallback === 'none' || Number(fallback) === -1) return null
  if (fallback === 'extra' || fallback === 'last') return cases
  const output = fallback === '' ? Number.NaN : Number(fallback)
  if (!Number.isInteger(output) || output < 0 || output > 100) throw new NotExact('its fallback output is not known')
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
  const isTrue = (rule: Fields) => olderCode(String(dataType), { ...rule, value1 })
  return Array.from({ length: count }, (_, number) => {
    const own = old.filter((__, index) => numbers[index] === number)
    const decides = (rule: Fields) => {
      const before = old.slice(0, old.indexOf(rule)).filter((__, index) => (numbers[index] ?? 0) > number)
      return [isTrue(rule), ...before.map((other) => `!${isTrue(other)}`)].join(' && ')
    }
    return {
      name: String(own[0]?.outputKey ?? '').slice(0, 100),
      expression: scriptExpression(own.map(decides).join(' || ') || 'false'),
    }
  })
}
