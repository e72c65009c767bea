import { logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
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
import { listContainers, listLog, publicContainer } from '../../runtime/sandbox/store.ts'

const place = { path: '/api/sandbox/containers', require: requireContainer } as const

export const list = endpoint({
  method: 'GET',
  path: '/api/sandbox/containers',
  summary: 'List containers, newest first',
  query: pageQuery(),
  returns: listOf('containers', Container),
  async run({ query }, context) {
    const { containers, total } = await listContainers(context, query)
    return { containers: containers.map(publicContainer), total, ...query }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/sandbox/containers',
  summary: 'Create and start a container',
  body: NewContainer,
  body_optional: true,
  returns: Container,
  status: 201,
  run: ({ body }, context) => addContainer(context, body),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/sandbox/containers/{id}',
  summary: 'Get a container',
  returns: Container,
  async run({ params }, context) {
    return publicContainer(await requireContainer(context, params.id))
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/sandbox/containers/{id}',
  summary: 'Rename a container',
  body: ContainerChanges,
  returns: Container,
  run: ({ params, body }, context) => renameContainer(context, params.id, body.name),
})

export const remove = removal({
  path: '/api/sandbox/containers/{id}',
  summary: 'Delete a container with its workspace',
  remove: removeContainer,
})

export const start = verbOf(place, 'start', {
  summary: 'Start a stopped container',
  returns: Container,
  run: startContainer,
})

export const stop = verbOf(place, 'stop', {
  summary: 'Stop a container: all of its processes end',
  returns: Container,
  run: stopContainer,
})

export const exec = endpoint({
  method: 'POST',
  path: '/api/sandbox/containers/{id}/exec',
  summary: 'Run a command in a container and stream its output; it ends when the caller disconnects',
  body: RunCommand,
  idempotent: false,
  returns: stream(CommandEvents),
  async run({ params, body }, context) {
    return prepareCommand(context, await requireContainer(context, params.id), body)
  },
})

export const logs = logOf(place, 'logs', {
  summary: 'List the finished commands of a container, newest first',
  items: 'entries',
  item: LogEntry,
  rows: listLog,
})
