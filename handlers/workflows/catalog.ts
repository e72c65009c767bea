import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { describeNodeTypes } from '../../runtime/workflows/describe.ts'
import { NodeTypeInfo } from '../../runtime/workflows/schema.ts'

export const nodeTypes = endpoint({
  method: 'GET',
  path: '/api/workflows/node-types',
  summary: 'List the types of nodes with their parameters, outputs and risk',
  owner: 'none',
  returns: z.object({ node_types: z.array(NodeTypeInfo), count: z.number().int() }),
  async run() {
    const node_types = describeNodeTypes()
    return { node_types, count: node_types.length }
  },
})
