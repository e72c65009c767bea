import { z } from 'zod'
import type { Host } from '../host.ts'
import { patternProblem } from '../secrets/redaction.ts'
import { defineSection, readSection } from '../sections/section.ts'
import { ExecutionMode } from '../tools/modes.ts'
import { shortenSessions } from './store.ts'

const Pattern = z
  .string()
  .min(1)
  .max(200)
  .superRefine((source, check) => {
    const message = patternProblem(source)
    if (message) check.addIssue({ code: 'custom', message })
  })

const oneLine = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .refine((line) => !/[\r\n]/.test(line), 'must be one line')

const path = oneLine.refine(
  (text) => /^(\/|~\/|[A-Za-z]:[\\/])/.test(text) && !/(^|[\\/])\.\.([\\/]|$)/.test(text),
  'must be an absolute path without ..',
)

export const SecuritySettings = z.object({
  default_execution_mode: ExecutionMode.meta({
    title: 'Execution mode of new agents',
    description: 'What an agent may do without asking',
  }),
  session_hours: z.int().min(1).max(24).meta({
    title: 'Session length',
    description: 'A shorter limit also ends older sessions',
    unit: 'hours',
  }),
  approval_timeout_minutes: z.int().min(1).max(10_080).meta({
    title: 'Approval timeout',
    description: 'Requests that are not answered in time are rejected',
    unit: 'minutes',
  }),
  audit_retention_days: z.int().min(1).max(3_650).meta({ title: 'Audit log retention', unit: 'days' }),
  allowed_paths: z.array(path).max(100).meta({
    title: 'Allowed folders',
    description:
      'Folders of this machine, with all folders below them, in which projects may work. Everyone who can make a project can then read and change their files',
  }),
  blocked_commands: z.array(oneLine).max(200).meta({
    title: 'Blocked commands',
    description: 'A command of the sandbox that contains one of these texts is refused: a guard against accidents',
  }),
  redact_patterns: z.array(Pattern).max(50).meta({
    title: 'Redaction patterns',
    description:
      'Regular expressions; matches are redacted in logs, tool results and memories, and in everything that is sent to others',
  }),
})
export type SecuritySettings = z.output<typeof SecuritySettings>

/** Agent and session limits. They have their own reset. */
export const securitySettings = defineSection({
  name: 'security',
  title: 'the security settings',
  access: 'admin',
  schema: SecuritySettings,
  defaults: (): SecuritySettings => ({
    default_execution_mode: 'approval_required',
    session_hours: 24,
    approval_timeout_minutes: 30,
    audit_retention_days: 365,
    allowed_paths: [],
    blocked_commands: [],
    redact_patterns: [],
  }),
  also: ({ session_hours }) => [shortenSessions(session_hours)],
  applied: ({ redact_patterns }, host) => host.process.redaction.use(redact_patterns),
  kept_on_reset: true,
})

/** The current settings. Also updates the redaction of this process: another one may have changed them. */
export async function readSecurity(host: Host): Promise<SecuritySettings> {
  const settings = await readSection(host, securitySettings)
  await host.process.redaction.use(settings.redact_patterns)
  return settings
}
