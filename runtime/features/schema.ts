import { z } from 'zod'
import { InstallProgress, PackagePlan, PackageSpec } from '../package-plan.ts'

export const Feature = z.object({
  id: z.string(),
  title: z.string(),
  kind: z.enum(['base', 'pack', 'extra']),
  /** Id of the pack, or name of the extra or base part. */
  source: z.string(),
  status: z.enum(['ok', 'missing', 'not-installed', 'unsupported']),
  unsupported_reason: z.string().nullable(),
  note: z.string().nullable(),
  /** A command for people; null if there is none. */
  command: z.string().nullable(),
})
export type Feature = z.infer<typeof Feature>

export const Pack = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  packages: z.array(PackageSpec.extend({ current_version: z.string().nullable() })),
  /** At least one package is installed. */
  installed: z.boolean(),
  /** All packages are installed in their versions. */
  complete: z.boolean(),
  unsupported_reason: z.string().nullable(),
})
export type Pack = z.infer<typeof Pack>

export const InstallInfo = z.object({
  /** Global package `system`, package of a project `venv`, checkout `editable`. */
  kind: z.enum(['pipx', 'uv-tool', 'editable', 'venv', 'system']),
  label: z.string(),
  version: z.string(),
  repair_command: z.string(),
})

export const FeatureList = z.object({
  features: z.array(Feature),
  packs: z.array(Pack),
  install: InstallInfo,
  repair_command: z.string(),
})
export type FeatureList = z.infer<typeof FeatureList>

export const InstallPlan = z.object({ pack_id: z.string(), ...PackagePlan.shape })
export type InstallPlan = z.infer<typeof InstallPlan>

export const InstallJob = z.object({
  id: z.string(),
  kind: z.literal('install'),
  pack_id: z.string(),
  status: z.enum(['running', 'done', 'error']),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  progress: InstallProgress.extend({
    /** The last log lines of the package manager, oldest first. */
    log: z.array(z.string()),
  }),
  result: z
    .object({
      packages: z.array(PackageSpec),
      /** False if everything was already installed and works. */
      changed: z.boolean(),
    })
    .nullable(),
  error: z.string().nullable(),
})
export type InstallJob = z.infer<typeof InstallJob>

export const JobStarted = z.object({ job: InstallJob })
export const InstallStatus = z.object({ job: InstallJob.nullable(), pack: Pack })
export type InstallStatus = z.infer<typeof InstallStatus>
