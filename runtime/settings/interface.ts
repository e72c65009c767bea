import { z } from 'zod'
import { type Section, subsetOf } from './section.ts'

const told = (title: string) => z.boolean().meta({ title })

export const InterfaceSettings = z.object({
  language: z
    .string()
    .max(35)
    .refine((tag) => tag === 'system' || isLanguage(tag), 'must be a language tag such as de or en-GB')
    .meta({
      title: 'Language of dates and numbers',
      description: 'The words of the interface are English',
      format: 'language',
    }),
  density: z
    .enum(['comfortable', 'compact'])
    .meta({ title: 'Density', description: 'How much of a list fits on the screen' }),
  start_page: z
    .enum(['home', 'chat', 'approvals', 'agents'])
    .meta({ title: 'Start page', description: 'Where hearthd opens' }),
  show_reasoning: z
    .boolean()
    .meta({ title: 'Show reasoning', description: 'What models think before they answer' }),
  show_tool_calls: z.boolean().meta({
    title: 'Show tool calls',
    description: 'What agents do between their words; approvals always show',
  }),
  notifications: z
    .object({
      approvals: told('An agent asks for approval'),
      answers: told('An answer is there'),
      failures: told('An answer failed'),
    })
    .meta({ title: 'Notifications', description: 'In browsers that were allowed to show them' }),
})
export type InterfaceSettings = z.output<typeof InterfaceSettings>

export const InterfaceChange = subsetOf(InterfaceSettings)

/** How the web interface looks and what it tells. */
export const interfaceSettings: Section<typeof InterfaceSettings> = {
  name: 'interface',
  schema: InterfaceSettings,
  defaults: () => ({
    language: 'system',
    density: 'comfortable',
    start_page: 'home',
    show_reasoning: true,
    show_tool_calls: true,
    notifications: { approvals: true, answers: true, failures: true },
  }),
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length === 1
  } catch {
    return false
  }
}
