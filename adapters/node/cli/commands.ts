import type { Command } from './command.ts'

/** The only list of commands, in the order of the help; each is loaded when it is called for. */
export const commands: readonly (() => Promise<{ command: Command }>)[] = [
  () => import('./start.ts'),
  () => import('./stop.ts'),
  () => import('./restart.ts'),
  () => import('./status.ts'),
  () => import('./setup.ts'),
  () => import('./key-create.ts'),
  () => import('./chat.ts'),
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
