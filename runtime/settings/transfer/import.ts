import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import { fileVersion, type ImportResult, type Plan, type SettingsFile } from './file.ts'
import { planAgents, planProviders, planServers, planSkills } from './import-parts.ts'
import { planSections, wordsOf } from './import-sections.ts'

const planners = [planSections, planSkills, planAgents, planServers, planProviders]

/**
 * Takes what it can of a file and says what it left out and why. A dry run only says. Keys and passwords are never
 * taken, and nothing is started.
 */
export async function importSettings(
  context: Context,
  file: SettingsFile,
  dry_run: boolean,
): Promise<ImportResult> {
  const plans: Plan[] = []
  for (const plan of planners) plans.push(await plan(context, file))
  const result: ImportResult = {
    dry_run,
    applied: [],
    skipped: plans.flatMap(({ skipped }) => skipped),
    warnings: [...versionWarnings(file), ...plans.flatMap(({ warnings }) => warnings)],
  }
  for (const { keys, apply } of plans.flatMap(({ steps }) => steps)) {
    const reason = dry_run ? null : await apply().then(() => null, wordsOf)
    if (reason === null) result.applied.push(...keys)
    else result.skipped.push(...keys.map((key) => ({ key, reason })))
  }
  if (!dry_run)
    await context.commit([
      auditStatement(context, { action: 'settings.imported', target: file.hearthd ?? '' }),
    ])
  return result
}

const versionWarnings = ({ version }: SettingsFile): string[] =>
  version > fileVersion
    ? [
        `The file is of a newer release (version ${version}, this one reads ${fileVersion}): what is unknown is left out`,
      ]
    : []
