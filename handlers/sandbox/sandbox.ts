import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pruneContainers } from '../../runtime/sandbox/containers.ts'
import { sandboxStatus } from '../../runtime/sandbox/engine.ts'
import { SandboxConfig, SandboxStatus, sandboxConfig } from '../../runtime/sandbox/schema.ts'
import { subsetOf } from '../../runtime/sections/merge.ts'
import { changeSection, readSection } from '../../runtime/sections/section.ts'

export const status = endpoint('GET /api/sandbox/status', {
  summary: 'Get the engines of this machine and whether commands can run',
  returns: SandboxStatus,
  run: (_, context) => sandboxStatus(context),
})

export const config = endpoint('GET /api/sandbox/config', {
  owner: 'shared',
  summary: 'Get the configuration of the sandbox',
  returns: SandboxConfig,
  run: (_, context) => readSection(context, sandboxConfig),
})

export const updateConfig = endpoint('PUT /api/sandbox/config', {
  owner: 'shared',
  access: 'admin',
  summary: 'Change any part of the configuration of the sandbox',
  body: subsetOf(SandboxConfig),
  returns: SandboxConfig,
  run: ({ body }, context) => changeSection(context, sandboxConfig, body),
})

export const prune = endpoint('POST /api/sandbox/prune', {
  summary: 'Delete all stopped containers with their workspaces',
  returns: z.object({ deleted: z.array(z.string()), count: z.int() }),
  async run(_, context) {
    const deleted = await pruneContainers(context)
    return { deleted, count: deleted.length }
  },
})
