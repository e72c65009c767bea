import { z } from 'zod'
import { Fault } from '../fault.ts'
import type { StartAction } from './action-schema.ts'
import { type TemplateData, TemplateError, templateValue, textForModel } from './template.ts'

export const Previewed = z.object({
  /** The action with its templates rendered; null if that failed. */
  action: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
})
export type Previewed = z.output<typeof Previewed>

/** An action with its templates rendered from data. Starts nothing. */
export async function renderedAction(action: StartAction, data: TemplateData): Promise<Previewed> {
  try {
    if ('message' in action)
      return { action: { ...action, message: await textForModel(action.message, data) }, error: null }
    if (action.kind === 'workflow') {
      const input = action.input.trim() === '' ? data : await templateValue(action.input, data)
      return { action: { ...action, input }, error: null }
    }
    return { action, error: null }
  } catch (thrown) {
    if (thrown instanceof TemplateError || thrown instanceof Fault) return { action: null, error: thrown.message }
    throw thrown
  }
}
