/** A package of the registry in exactly one version. */
export interface PackageSpec {
  name: string
  version: string
}

export type PackageAction = 'new' | 'upgrade' | 'downgrade' | 'reinstall'

export interface PlannedPackage extends PackageSpec {
  action: PackageAction
  current_version: string | null
  /** Bytes to download, as the registry tells; null when it does not. */
  size_bytes: number | null
}

/** What the package manager would do, asked of itself. */
export interface PackagePlan {
  packages: PlannedPackage[]
  /** What is fetched beside packages. */
  downloads: { name: string; url: string; size_bytes: number | null }[]
  /** Null when one of the sizes is not known. */
  total_bytes: number | null
  /** Optional packages that have no build for this platform. */
  skipped: (PackageSpec & { reason: string })[]
  command: string
  /** Why it cannot be installed from here; then `manual_command` is what a person can run. */
  blocked_reason: string | null
  manual_command: string | null
}

export type InstallPhase = 'installing' | 'downloading' | 'verifying'

export interface InstallProgress {
  phase: InstallPhase
  /** Packages. */
  done: number
  total: number
}

export interface InstallOptions {
  signal: AbortSignal
  onProgress(progress: InstallProgress): void
  /** A line of the package manager, without secrets. */
  onLog(line: string): void
}

export interface InstallOutcome {
  /** False where everything was there already and works. */
  changed: boolean
}

/** How this program itself was installed. */
export interface Installation {
  /** A tool's own folder, a checkout, a project's folder, or the machine's global folder. */
  kind: 'pipx' | 'uv-tool' | 'editable' | 'venv' | 'system'
  label: string
  /** Restores what is missing of the program's own packages; empty where there is nothing to run. */
  repair_command: string
}

/** The package manager cannot do it. The message is safe to show. */
export class PackageError extends Error {
  override name = 'PackageError'
}

/**
 * Packages that are added while the daemon runs, in a folder of their own, and used at once. Scripts of packages never
 * run. An installation that fails or is cut leaves what was there before.
 */
export interface Packages {
  /** Why this host installs none; null where it does. */
  unsupported: string | null
  /** System and processor, for example `linux-x64`. */
  platform: string
  installation: Installation
  /** A dry run: changes nothing. No packages where everything is there and works. */
  plan(wanted: readonly PackageSpec[], signal: AbortSignal): Promise<PackagePlan>
  /** Adds `wanted` to what is there, all or nothing, and mends what is broken. Throws `PackageError`, or the reason of the signal. */
  install(wanted: readonly PackageSpec[], options: InstallOptions): Promise<InstallOutcome>
  /** The version that is there; null when it is not. */
  installed(name: string): Promise<string | null>
  /** The address of its module, for a thread or another process; null when it is not there. */
  resolve(name: string): Promise<string | null>
  /** Its module. Throws `PackageError` when it is not there. */
  import(name: string): Promise<unknown>
  /** The path of the first of these programs that this machine has. */
  locate(programs: readonly string[]): Promise<string | null>
}
