import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { exportWorkflow, importWorkflow } from '../../runtime/workflows/files.ts'
import { describeNodeTypes } from '../../runtime/workflows/nodes/index.ts'
import { ImportReport, NodeTypeInfo, Template, Workflow, WorkflowFile } from '../../runtime/workflows/schema.ts'
import { listTemplates, useTemplate } from '../../runtime/workflows/templates.ts'
import { requireWorkflow } from '../../runtime/workflows/workflows.ts'

export const nodeTypes = endpoint('GET /api/workflows/node-types', {
  summary: 'List the types of nodes with their parameters, outputs and risk',
  owner: 'none',
  returns: z.object({ node_types: z.array(NodeTypeInfo), count: z.int() }),
  async run() {
    const node_types = describeNodeTypes()
    return { node_types, count: node_types.length }
  },
})

export const templates = endpoint('GET /api/workflows/templates', {
  summary: 'List the templates of workflows',
  owner: 'none',
  returns: z.object({ templates: z.array(Template), count: z.int() }),
  async run() {
    const templates = listTemplates()
    return { templates, count: templates.length }
  },
})

export const instantiate = endpoint('POST /api/workflows/templates/{id}/instantiate', {
  summary: 'Create a workflow from a template',
  body: z.object({ name: z.string().trim().min(1).max(200).optional() }),
  body_optional: true,
  returns: Workflow,
  status: 201,
  run: ({ params, body }, context) => useTemplate(context, params.id, body.name),
})

export const importFile = endpoint('POST /api/workflows/import', {
  summary: 'Create a workflow from a file of hearthd or n8n; the report lists what could not be translated',
  query: z.object({
    format: z.enum(['native', 'n8n']).optional().meta({ description: 'Default: by the content' }),
  }),
  body: z.record(z.string(), z.unknown(), {
    error: 'must be one workflow; import the workflows of a list one by one',
  }),
  body_limit: 5 * 1024 * 1024,
  returns: z.object({ workflow: Workflow, report: ImportReport }),
  status: 201,
  run: ({ query, body }, context) => importWorkflow(context, query.format, body),
})

export const exportFile = endpoint('GET /api/workflows/{id}/export', {
  summary: 'Get a workflow as a file',
  returns: WorkflowFile,
  run: async ({ params }, context) => exportWorkflow(context, await requireWorkflow(context, params.id)),
})
