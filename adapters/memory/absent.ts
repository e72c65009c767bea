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

/** Ports that a host lacks: they answer 503 `unsupported` and say which host has them. */
const refuse = (message: string) => async (): Promise<never> => {
  throw unsupported(message)
}

export const unknownMachine: Machine = {
  disk: async () => null,
  residentBytes: () => null,
  load: async () => null,
}

const refuseSending = refuse('This host sends no mail; the Node host does')
const refuseReading = refuse('This host reads no mail; the Node host does')

export const noMail: Mail = {
  send: refuseSending,
  verify: refuseSending,
  receive: refuseReading,
  // biome-ignore lint/correctness/useYield: it refuses before there is anything
  async *watch() {
    await refuseReading()
  },
}

const noDatabasesHere = refuse('This host connects to no databases; the Node host does')

export const noDatabases: Databases = { run: noDatabasesHere, command: noDatabasesHere }

const noPushHere = refuse('This host sends no notifications to browsers; the Node host does')
export const noPush: Push = { generateKeys: noPushHere, request: noPushHere }

export const noScript: Script = {
  run: refuse('This host runs no JavaScript of workflows and agents; the Node host does'),
  close: async () => undefined,
}

/** No engine; the workspaces of containers that another host made stay where they are. */
export const noSandbox = (files: Files): Sandbox => ({ engines: [], files })

const noGit = refuse('This host has no git; the Node host does')

export const noRepositories: Repositories = {
  isRepository: async () => false,
  snapshot: noGit,
  checkout: noGit,
  store: noGit,
  merge: noGit,
  changes: noGit,
  read: noGit,
  commit: noGit,
  remove: async () => undefined,
}

const refuseRequest = async (): Promise<never> => {
  throw new OutboundBlocked('This host makes no outgoing requests')
}

export const noOutbound: Outbound = {
  refusal: () => null,
  fetch: refuseRequest,
  openSocket: refuseRequest,
}

const noBackupsHere = 'This host makes no backups; the Node host with a local database does'
const refuseBackup = refuse(noBackupsHere)

export const noBackups: Backups = {
  unsupported: noBackupsHere,
  list: async () => [],
  create: refuseBackup,
  measure: refuseBackup,
  verify: refuseBackup,
  inspect: refuseBackup,
  read: async () => null,
  receive: refuseBackup,
  remove: async () => false,
  stage: refuseBackup,
  restart: () => undefined,
  restored: async () => null,
}

const noPackageManager = 'This host installs no packages; the Node host does'

export const noPackages: Packages = {
  unsupported: noPackageManager,
  platform: 'unknown',
  installation: { kind: 'system', label: 'Part of another program', repair_command: '' },
  plan: refuse(noPackageManager),
  install: refuse(noPackageManager),
  installed: async () => null,
  resolve: async () => null,
  import: refuse(noPackageManager),
  locate: async () => null,
}

const noServers = refuse('This host connects to no tool servers; the Node host does')

export const noToolServers: ToolServers = {
  connect: noServers,
  tools: () => null,
  call: noServers,
  disconnect: async () => undefined,
  status: () => idleLink,
  onChange: () => () => undefined,
}

export const noVisualization: Visualization = {
  available: async () => false,
  async project() {
    throw new VisualizationError('This host draws no maps of memory; the Node host does')
  },
}
