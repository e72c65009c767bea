import type { Command } from './command.ts'

const files: readonly (() => Promise<{ command: Command } | { commands: readonly Command[] }>)[] = [
  () => import('./start.ts'),
  () => import('./stop.ts'),
  () => import('./restart.ts'),
  () => import('./status.ts'),
  () => import('./setup.ts'),
  () => import('./key-create.ts'),
  () => import('./chat.ts'),
  () => import('./job.ts'),
  () => import('./logs.ts'),
  () => import('./open.ts'),
  () => import('./doctor.ts'),
  () => import('./features.ts'),
  () => import('./features-plan.ts'),
  () => import('./features-install.ts'),
  () => import('./backup.ts'),
  () => import('./restore.ts'),
  () => import('./service-install.ts'),
  () => import('./service-uninstall.ts'),
  () => import('./version.ts'),
]

/** Every command, in the order of the help. */
export async function loadCommands(): Promise<Command[]> {
  const loaded = await Promise.all(files.map((load) => load()))
  return loaded.flatMap((file) => ('commands' in file ? file.commands : [file.command]))
}
