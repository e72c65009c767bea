import { unsupported } from '../../runtime/fault.ts'
import type { Packages } from '../../runtime/ports/packages.ts'

const why = 'This host installs no packages; the Node host does'

const refuse = async (): Promise<never> => {
  throw unsupported(why)
}

/** A host without a package manager. */
export const noPackages: Packages = {
  unsupported: why,
  platform: 'unknown',
  installation: { kind: 'system', label: 'Part of another program', repair_command: '' },
  plan: refuse,
  install: refuse,
  installed: async () => null,
  resolve: async () => null,
  import: refuse,
  locate: async () => null,
}
