import type { Context } from '../../runtime/context.ts'
import { endpointsOf, logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import type { Page } from '../../runtime/http/page.ts'
import { stream } from '../../runtime/http/returns.ts'
import {
  addContainer,
  removeContainer,
  renameContainer,
  requireContainer,
  startContainer,
  stopContainer,
} from '../../runtime/sandbox/containers.ts'
import { prepareCommand } from '../../runtime/sandbox/run.ts'
import {
  CommandEvents,
  Container,
  ContainerChanges,
  LogEntry,
  NewContainer,
  RunCommand,
} from '../../runtime/sandbox/schema.ts'
import { listContainers, listLog, publicContainer, type StoredContainer } from '../../runtime/sandbox/store.ts'

const containers = {
  path: '/api/sandbox/containers',
  items: 'containers',
  summaries: {
    list: 'List containers, newest first',
    create: 'Create and start a container',
    show: 'Get a container',
    update: 'Rename a container',
    remove: 'Delete a container with its workspace',
  },
  New: NewContainer,
  body_optional: true,
  Changes: ContainerChanges,
  Row: Container,
  async list(context: Context, page: Page) {
    const { rows, total } = await listContainers(context, page)
    return { rows: rows.map(publicContainer), total }
  },
  add: addContainer,
  require: requireContainer,
  show: (_: Context, container: StoredContainer) => publicContainer(container),
  edit: renameContainer,
  remove: removeContainer,
} as const

export const { list, create, show, update, remove } = endpointsOf(containers)

export const start = verbOf(containers, 'start', { summary: 'Start a stopped container', run: startContainer })

export const stop = verbOf(containers, 'stop', {
  summary: 'Stop a container: all of its processes end',
  run: stopContainer,
})

export const exec = endpoint('POST /api/sandbox/containers/{id}/exec', {
  summary: 'Run a command in a container and stream its output; it ends when the caller disconnects',
  body: RunCommand,
  idempotent: false,
  returns: stream(CommandEvents),
  run: async ({ params, body }, context) => prepareCommand(context, await requireContainer(context, params.id), body),
})

export const logs = logOf(containers, 'logs', {
  summary: 'List the finished commands of a container, newest first',
  items: 'entries',
  item: LogEntry,
  rows: listLog,
})
