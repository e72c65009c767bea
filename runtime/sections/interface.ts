import { z } from 'zod'
import { defineSection } from './section.ts'

const event = (title: string) => z.boolean().meta({ title })

export const InterfaceSettings = z.object({
  language: z
    .string()
    .max(35)
    .refine((tag) => tag === 'system' || isLanguage(tag), 'must be a language tag such as de or en-GB')
    .meta({
      title: 'Language of dates and numbers',
      description: 'The interface itself is in English',
      format: 'language',
    }),
  density: z.enum(['comfortable', 'compact']).meta({ title: 'Density', description: 'Spacing of lists and pages' }),
  start_page: z
    .enum(['home', 'chat', 'approvals', 'agents'])
    .meta({ title: 'Start page', description: 'The page that opens first', labels: { approvals: 'Inbox' } }),
  show_reasoning: z.boolean().meta({ title: 'Show reasoning', description: 'What models think before they answer' }),
  show_tool_calls: z.boolean().meta({
    title: 'Show tool calls',
    description: 'What agents do while they answer; approval requests are always shown',
  }),
  notifications: z
    .object({
      approvals: event('Something waits for your answer'),
      answers: event('An answer is complete or a reminder is due'),
      failures: event('An answer, job, loop or workflow fails'),
    })
    .meta({ title: 'Notifications', description: 'Browsers show them only with your permission' }),
})
export type InterfaceSettings = z.output<typeof InterfaceSettings>

export const interfaceSettings = defineSection({
  name: 'interface',
  title: 'the look of the web interface',
  schema: InterfaceSettings,
  defaults: (): InterfaceSettings => ({
    language: 'system',
    density: 'comfortable',
    start_page: 'home',
    show_reasoning: true,
    show_tool_calls: true,
    notifications: { approvals: true, answers: true, failures: true },
  }),
})

function isLanguage(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length === 1
  } catch {
    return false
  }
}
