import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { requireContainer } from '../../runtime/sandbox/containers.ts'
import { WorkspaceFile } from '../../runtime/sandbox/schema.ts'
import {
  listWorkspace,
  maxUpload,
  removeWorkspaceFile,
  workspaceFile,
  writeWorkspaceFile,
} from '../../runtime/sandbox/workspace.ts'

const Path = z.object({ path: z.string().min(1).max(1_024) })

export const listFiles = endpoint('GET /api/sandbox/containers/{id}/files', {
  summary: 'List a folder of the workspace',
  query: z.object({ path: z.string().max(1_024).default('') }),
  returns: z.object({ files: z.array(WorkspaceFile), count: z.int() }),
  async run({ params, query }, context) {
    const { id } = await requireContainer(context, params.id)
    const files = await listWorkspace(context, id, query.path)
    return { files, count: files.length }
  },
})

export const readFile = endpoint('GET /api/sandbox/containers/{id}/files/content', {
  summary: 'Download a file of the workspace',
  query: Path,
  returns: file('application/octet-stream'),
  async run({ params, query }, context) {
    const { id } = await requireContainer(context, params.id)
    return workspaceFile(context, id, query.path)
  },
})

export const writeFile = endpoint('PUT /api/sandbox/containers/{id}/files/content', {
  summary: 'Write a file in the workspace; the body is its content',
  query: Path,
  body_kind: 'raw',
  body_limit: maxUpload,
  returns: WorkspaceFile,
  async run({ params, query, request }, context) {
    const { id } = await requireContainer(context, params.id)
    return writeWorkspaceFile(context, id, { path: query.path, body: request.body })
  },
})

export const removeFile = endpoint('DELETE /api/sandbox/containers/{id}/files/content', {
  summary: 'Delete a file or folder of the workspace',
  query: Path,
  returns: z.object({ deleted: z.boolean(), path: z.string() }),
  async run({ params, query }, context) {
    const { id } = await requireContainer(context, params.id)
    return { deleted: await removeWorkspaceFile(context, id, query.path), path: query.path }
  },
})
