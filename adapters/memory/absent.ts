import { unsupported } from '../../runtime/fault.ts'
import type { Backups } from '../../runtime/ports/backups.ts'
import type { Databases } from '../../runtime/ports/databases.ts'
import type { Files } from '../../runtime/ports/files.ts'
import type { Machine } from '../../runtime/ports/machine.ts'
import type { Mail } from '../../runtime/ports/mail.ts'
import { type Outbound, OutboundBlocked } from '../../runtime/ports/outbound.ts'
import type { Packages } from '../../runtime/ports/packages.ts'
import type { Push } from '../../runtime/ports/push.ts'
import type { Repositories } from '../../runtime/ports/repositories.ts'
import type { Sandbox } from '../../runtime/ports/sandbox.ts'
import type { Script } from '../../runtime/ports/script.ts'
import { idleLink, type ToolServers } from '../../runtime/ports/tool-servers.ts'
import { type Visualization, VisualizationError } from '../../runtime/ports/visualization.ts'

/**
 * A port that a host lacks. All its functions but `answers` refuse with 503 `unsupported`, which says which host has it.
 */
export function absent<Port extends object>(message: string, answers: Partial<Port> = {}): Port {
  const refuse = async (): Promise<never> => {
    throw unsupported(message)
  }
  const get = (own: Partial<Port>, name: string | symbol) =>
    Reflect.get(own, name) ?? (name === 'then' ? undefined : refuse)
  return new Proxy(answers, { get }) as Port
}

export const unknownMachine: Machine = {
  disk: async () => null,
  residentBytes: () => null,
  load: async () => null,
}

export const noMail = absent<Mail>('This host sends and reads no mail; the Node host does', {
  // biome-ignore lint/correctness/useYield: it refuses before there is anything
  async *watch() {
    throw unsupported('This host reads no mail; the Node host does')
  },
})

export const noDatabases = absent<Databases>('This host connects to no databases; the Node host does')

export const noPush = absent<Push>('This host sends no notifications to browsers; the Node host does')

export const noScript = absent<Script>('This host runs no JavaScript of workflows and agents; the Node host does', {
  close: async () => undefined,
})

/** No engine; the workspaces of containers that another host made stay where they are. */
export const noSandbox = (files: Files): Sandbox => ({ engines: [], files })

export const noRepositories = absent<Repositories>('This host has no git; the Node host does', {
  isRepository: async () => false,
  remove: async () => undefined,
})

const refuseRequest = async (): Promise<never> => {
  throw new OutboundBlocked('This host makes no outgoing requests')
}

export const noOutbound: Outbound = {
  refusal: () => null,
  fetch: refuseRequest,
  openSocket: refuseRequest,
}

const noBackupsHere = 'This host makes no backups; the Node host with a local database does'

export const noBackups = absent<Backups>(noBackupsHere, {
  unsupported: noBackupsHere,
  list: async () => [],
  read: async () => null,
  remove: async () => false,
  restart: () => undefined,
  restored: async () => null,
})

const noPackageManager = 'This host installs no packages; the Node host does'

export const noPackages = absent<Packages>(noPackageManager, {
  unsupported: noPackageManager,
  platform: 'unknown',
  installation: { kind: 'system', label: 'Part of another program', repair_command: '' },
  installed: async () => null,
  resolve: async () => null,
  locate: async () => null,
})

export const noToolServers = absent<ToolServers>('This host connects to no tool servers; the Node host does', {
  tools: () => null,
  disconnect: async () => undefined,
  status: () => idleLink,
  onChange: () => () => undefined,
})

export const noVisualization: Visualization = {
  available: async () => false,
  async project() {
    throw new VisualizationError('This host draws no maps of memory; the Node host does')
  },
}
