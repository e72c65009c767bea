import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { listOutputFiles, rawFile, uploadFiles, zipOf } from '../../runtime/projects/files.ts'
import { requireProject, requireShownProject } from '../../runtime/projects/projects.ts'
import { OutputFile } from '../../runtime/projects/schema.ts'

export const outputFiles = endpoint('GET /api/projects/{id}/output-files', {
  summary: "List the files of the project's folder",
  returns: z.object({ files: z.array(OutputFile), count: z.int() }),
  async run({ params }, context) {
    const files = await listOutputFiles(context, await requireShownProject(context, params.id))
    return { files, count: files.length }
  },
})

export const raw = endpoint('GET /api/projects/{id}/files/raw', {
  summary: "Download one file of the project's folder",
  query: z.object({ path: z.string().min(1).max(1_024) }),
  returns: file('application/octet-stream'),
  run: async ({ params, query }, context) =>
    rawFile(context, await requireShownProject(context, params.id), query.path),
})

export const download = endpoint('GET /api/projects/{id}/download', {
  summary: "Download the project's folder as a zip file",
  returns: file('application/zip'),
  run: async ({ params }, context) => zipOf(context, await requireShownProject(context, params.id)),
})

export const upload = endpoint('POST /api/projects/{id}/files/upload', {
  summary: "Upload files into the project's folder: form fields file, and optionally path before them",
  body_kind: 'form',
  idempotent: false,
  returns: z.object({ files: z.array(OutputFile), count: z.int() }),
  status: 201,
  async run({ params, request }, context) {
    const files = await uploadFiles(context, await requireProject(context, params.id), request)
    return { files, count: files.length }
  },
})
