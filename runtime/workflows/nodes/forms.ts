import { z } from 'zod'
import { expiresAfter, expiryOf, formEndShape, formShape, pageOf } from '../form.ts'
import { nodeType } from '../node-type.ts'
import { allowedOrigins } from '../origins.ts'

export const formTrigger = nodeType({
  type: 'trigger.form',
  title: 'Form',
  description:
    'Starts when somebody fills in its form, which has a secret address of its own. The address is shown when the workflow is active. Its output is the answer: the fields by name.',
  category: 'trigger',
  risk: 'low',
  params: z.object({ ...formShape, ...formEndShape, allowed_origins: allowedOrigins }),
  async run(params, { input, definition }) {
    // Who answers it waits for the pages that follow.
    const hasPages = definition.nodes.some(({ type, disabled }) => type === 'form' && !disabled)
    return { output: input, page: pageOf(params, hasPages) }
  },
})

const expiry = expiresAfter('it continues with an empty answer')

export const form = nodeType({
  type: 'form',
  title: 'Form page',
  description:
    'Shows whoever answered the form that started the run another page, and waits for the answer: its output. At the page of an execution, execution.form_url, everybody who knows it can answer. Its last page is shown without waiting, and its output is the input.',
  category: 'people',
  risk: 'low',
  params: z.object({
    kind: z
      .enum(['fields', 'end'])
      .default('fields')
      .meta({ title: 'Page', labels: { fields: 'Asks for an answer', end: 'The last page' } }),
    ...formShape,
    ...formEndShape,
    expires_after_seconds: expiry,
  }),
  async run({ kind, expires_after_seconds, ...page }, { context, input }) {
    if (kind === 'end') return { output: input, page: pageOf(page, false) }
    const { title, description, fields, button, time_field } = page
    return {
      wait: {
        kind: 'form',
        message: title || 'The answer to a form',
        until: expiryOf(context.clock.now(), expires_after_seconds),
        data: { title, description, fields, button, time_field },
      },
    }
  },
  resume: async (_, __, ___, signal) => ({ output: signal.type === 'wake' ? signal.value : {} }),
})

export const waitForCall = nodeType({
  type: 'wait_for_call',
  title: 'Wait for a call',
  description:
    'Continues when the address of the execution, execution.resume_url, is called. Its output is {method, query, headers, body}.',
  category: 'flow',
  risk: 'low',
  params: z.object({
    methods: z
      .array(z.enum(['GET', 'POST']))
      .min(1)
      .default(['GET', 'POST'])
      .meta({ title: 'Methods' }),
    expires_after_seconds: expiry,
  }),
  run: async ({ methods, expires_after_seconds }, { context }) => ({
    wait: {
      kind: 'call',
      message: 'A call of its address',
      until: expiryOf(context.clock.now(), expires_after_seconds),
      data: { methods },
    },
  }),
  resume: async (_, { input }, __, signal) => ({ output: signal.type === 'wake' ? signal.value : input }),
})
