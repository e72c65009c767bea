import { z } from 'zod'
import type { Context } from '../context.ts'
import { executionAt } from './resume.ts'
import { enabledTriggers, triggersOf } from './trigger-store.ts'

const Origin = z
  .string()
  .trim()
  .max(300)
  .refine((text) => text === '*' || URL.parse(text)?.origin === text, 'must be an origin such as https://example.com')

/** Origins whose pages may call a webhook or form. The addresses are public, so no cookie or sign-in of hearthd counts. */
export const allowedOrigins = z.array(Origin).max(50).default([]).meta({
  title: 'Allowed origins',
  description: 'Web pages that may call it with scripts, such as https://example.com; * for all',
})

const Config = z.object({ allowed_origins: allowedOrigins })
const originsIn = (config: unknown): readonly string[] => Config.safeParse(config).data?.allowed_origins ?? []

/** The origins that the webhook or form with this address allows; a page of an execution, those of its forms. */
export async function originsOf(context: Context, kind: 'webhook' | 'form', token: string): Promise<string[]> {
  const triggers = await enabledTriggers(context, kind, context.secrets.sha256(token))
  const execution = triggers.length === 0 ? await executionAt(context, token) : null
  const further = execution ? await triggersOf(context, execution.workflow_id) : []
  return [...triggers, ...further.filter((trigger) => trigger.kind === kind)].flatMap(({ config }) => originsIn(config))
}
