import { z } from 'zod'

/** A registry package at an exact version. */
export const PackageSpec = z.object({ name: z.string(), version: z.string() })
export type PackageSpec = z.output<typeof PackageSpec>

/** Null if unknown. */
const bytes = z.int().nullable()

export const PlannedPackage = PackageSpec.extend({
  action: z.enum(['new', 'upgrade', 'downgrade', 'reinstall']),
  current_version: z.string().nullable(),
  /** Download size, as reported by the registry. */
  size_bytes: bytes,
})
export type PlannedPackage = z.output<typeof PlannedPackage>
export type PackageAction = PlannedPackage['action']

/** What the package manager would do, from its own dry run. */
export const PackagePlan = z.object({
  packages: z.array(PlannedPackage),
  /** Downloads other than packages. */
  downloads: z.array(z.object({ name: z.string(), url: z.string(), size_bytes: bytes })),
  /** Null if any size is unknown. */
  total_bytes: bytes,
  /** Optional packages without a build for this platform. */
  skipped: z.array(PackageSpec.extend({ reason: z.string() })),
  command: z.string(),
  /** Why it cannot be installed from here; `manual_command` is then the command to run by hand. */
  blocked_reason: z.string().nullable(),
  manual_command: z.string().nullable(),
})
export type PackagePlan = z.output<typeof PackagePlan>

export const InstallProgress = z.object({
  phase: z.enum(['installing', 'downloading', 'verifying']),
  /** Packages. */
  done: z.int(),
  total: z.int(),
})
export type InstallProgress = z.output<typeof InstallProgress>
