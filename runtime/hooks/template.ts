import { invalidField } from '../fault.ts'
import { evaluateJsonata, jsonataProblem } from '../jsonata.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { isExpression, resolveText } from '../workflows/expressions.ts'

/** What expressions of a template can use. */
export type TemplateData = Record<string, unknown>

/** A template whose expression cannot be evaluated. */
export class TemplateError extends Error {
  override name = 'TemplateError'
}

/** Characters of a filled-in text. */
const maxText = 100_000

async function evaluate(expression: string, data: TemplateData): Promise<unknown> {
  try {
    return await evaluateJsonata(expression, data)
  } catch (thrown) {
    throw new TemplateError(`The expression ${expression} cannot be evaluated: ${messageOf(thrown)}`)
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** A template as text for a model: what comes from outside is marked as data. */
export async function textForModel(template: string, data: TemplateData): Promise<string> {
  const marked = async (expression: string) => wrapUntrusted((await evaluate(expression, data)) ?? '')
  return bounded(await resolveText(template, marked))
}

/** A template as text. */
export async function plainText(template: string, data: TemplateData): Promise<string> {
  return bounded(await resolveText(template, (expression) => evaluate(expression, data)))
}

function bounded(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (text.trim() === '') throw new TemplateError('The text of the template is empty')
  if (text.length > maxText)
    throw new TemplateError(`The text of the template is longer than ${maxText} characters`)
  return text
}

/** The value of a template: of an expression after `=`, else its text. */
export async function templateValue(template: string, data: TemplateData): Promise<unknown> {
  const value = await resolveText(template, (expression) => evaluate(expression, data))
  // JSONata marks lists with members of its own.
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown)
}

/** Refuses a template with an invalid expression. */
export async function checkTemplate(template: string, path: string): Promise<void> {
  if (!isExpression(template)) return
  const expressions: string[] = []
  await resolveText(template, async (expression) => {
    expressions.push(expression)
    return ''
  })
  for (const expression of expressions) {
    const problem = await jsonataProblem(expression)
    if (problem !== null) throw invalidField(path, `is not a valid expression: ${problem}`)
  }
}
