/** A registry package at an exact version. */
export interface PackageSpec {
  name: string
  version: string
}

export type PackageAction = 'new' | 'upgrade' | 'downgrade' | 'reinstall'

export interface PlannedPackage extends PackageSpec {
  action: PackageAction
  current_version: string | null
  /** Download size in bytes, as reported by the registry; null if unknown. */
  size_bytes: number | null
}

/** What the package manager would do, from its own dry run. */
export interface PackagePlan {
  packages: PlannedPackage[]
  /** Downloads other than packages. */
  downloads: { name: string; url: string; size_bytes: number | null }[]
  /** Null if any size is unknown. */
  total_bytes: number | null
  /** Optional packages without a build for this platform. */
  skipped: (PackageSpec & { reason: string })[]
  command: string
  /** Why it cannot be installed from here; `manual_command` is then the command to run by hand. */
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
  /** A line of the package manager's output, without secrets. */
  onLog(line: string): void
}

export interface InstallOutcome {
  /** False if everything was already installed and works. */
  changed: boolean
}

/** How this program itself was installed. */
export interface Installation {
  /** A tool's own folder, a checkout, a project's folder, or the machine's global folder. */
  kind: 'pipx' | 'uv-tool' | 'editable' | 'venv' | 'system'
  label: string
  /** Command that restores missing packages of the program itself; empty if there is none. */
  repair_command: string
}

/** The package manager cannot do it. The message is safe to show. */
export class PackageError extends Error {
  override name = 'PackageError'
}

/**
 * Installs packages while the daemon runs, into a separate folder, for immediate use. Package scripts never run.
 * A failed or interrupted installation leaves the previous state intact.
 */
export interface Packages {
  /** Why this host cannot install packages; null if it can. */
  unsupported: string | null
  /** Operating system and architecture, for example `linux-x64`. */
  platform: string
  installation: Installation
  /** Dry run: changes nothing. Lists no packages if everything is installed and works. */
  plan(specs: readonly PackageSpec[], signal: AbortSignal): Promise<PackagePlan>
  /** Installs `wanted`, all or nothing, and repairs damaged packages. Throws `PackageError` or the signal's reason. */
  install(specs: readonly PackageSpec[], options: InstallOptions): Promise<InstallOutcome>
  /** The installed version; null if not installed. */
  installed(name: string): Promise<string | null>
  /** The URL of its module, for a thread or another process; null if not installed. */
  resolve(name: string): Promise<string | null>
  /** Imports its module. Throws `PackageError` if it is not installed. */
  import(name: string): Promise<unknown>
  /** The path of the first of these programs that is installed on this machine. */
  locate(programs: readonly string[]): Promise<string | null>
}
