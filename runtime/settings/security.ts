import { z } from 'zod'
import { ExecutionMode } from '../agents/schema.ts'
import { shortenSessions } from '../auth/store.ts'
import type { Host } from '../host.ts'
import { patternProblem } from '../secrets/redaction.ts'
import { readSection, type Section, subsetOf } from './section.ts'

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
    description: 'How much an agent may do without asking',
  }),
  session_hours: z.number().int().min(1).max(24).meta({
    title: 'Length of a login',
    description: 'Logins that are older end at once',
    unit: 'hours',
  }),
  approval_timeout_minutes: z.number().int().min(1).max(10_080).meta({
    title: 'Time to answer an approval',
    description: 'Then it counts as refused',
    unit: 'minutes',
  }),
  audit_retention_days: z
    .number()
    .int()
    .min(1)
    .max(3_650)
    .meta({ title: 'Keep the audit log for', unit: 'days' }),
  allowed_paths: z.array(path).max(100).meta({
    title: 'Allowed folders',
    description: 'Of this machine, that sandboxes may be given. None: only their own',
  }),
  blocked_commands: z.array(oneLine).max(200).meta({
    title: 'Blocked commands',
    description: 'Beginnings of command lines that no shell of an agent runs',
  }),
  redact_patterns: z.array(Pattern).max(50).meta({
    title: 'Redacted texts',
    description: 'Regular expressions; what they match is blanked in logs, results of tools and memories',
  }),
})
export type SecuritySettings = z.output<typeof SecuritySettings>

export const SecurityChange = subsetOf(SecuritySettings)

/** What holds agents and logins in bounds. Only administrators change it, and it has a reset of its own. */
export const securitySettings: Section<typeof SecuritySettings> = {
  name: 'security',
  schema: SecuritySettings,
  defaults: () => ({
    default_execution_mode: 'approval_required',
    session_hours: 24,
    approval_timeout_minutes: 30,
    audit_retention_days: 365,
    allowed_paths: [],
    blocked_commands: [],
    redact_patterns: [],
  }),
  also: ({ session_hours }) => [shortenSessions(session_hours)],
  kept_on_reset: true,
}

/** The settings in force; what this process blanks in its log and in results follows them. */
export async function readSecurity(host: Host): Promise<SecuritySettings> {
  const settings = await readSection(host, securitySettings)
  host.process.redaction.use(settings.redact_patterns)
  return settings
}
