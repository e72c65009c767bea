import { isExpression, resolveText } from '../expressions.ts'
import { invalidField } from '../fault.ts'
import { evaluateJsonata, jsonataProblem } from '../jsonata.ts'
import { errorMessage } from '../thrown.ts'
import { wrapUntrusted } from '../untrusted.ts'

/** Variables available to template expressions. */
export type TemplateData = Record<string, unknown>

/** Thrown if an expression of a template cannot be evaluated. */
export class TemplateError extends Error {
  override name = 'TemplateError'
}

/** Maximum characters of a rendered text. */
const maxText = 100_000

async function evaluate(expression: string, data: TemplateData): Promise<unknown> {
  try {
    return await evaluateJsonata(expression, data)
  } catch (thrown) {
    throw new TemplateError(`The expression ${expression} cannot be evaluated: ${errorMessage(thrown)}`)
  }
}

/** Renders a template as text for a model: values from outside are marked as untrusted data. */
export async function textForModel(template: string, data: TemplateData): Promise<string> {
  const marked = async (expression: string) => wrapUntrusted((await evaluate(expression, data)) ?? '')
  return bounded(await resolveText(template, marked))
}

/** Renders a template as text. */
export async function plainText(template: string, data: TemplateData): Promise<string> {
  return bounded(await resolveText(template, (expression) => evaluate(expression, data)))
}

function bounded(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (text.trim() === '') throw new TemplateError('The text of the template is empty')
  if (text.length > maxText) throw new TemplateError(`The text of the template is longer than ${maxText} characters`)
  return text
}

/** The value of a template: the result of the expression after `=`, else the rendered text. */
export async function templateValue(template: string, data: TemplateData): Promise<unknown> {
  const value = await resolveText(template, (expression) => evaluate(expression, data))
  // JSONata adds its own properties to arrays.
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
