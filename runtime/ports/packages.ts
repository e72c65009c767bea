import type { InstallProgress, PackageAction, PackagePlan, PackageSpec, PlannedPackage } from '../package-plan.ts'

export type { InstallProgress, PackageAction, PackagePlan, PackageSpec, PlannedPackage }

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
