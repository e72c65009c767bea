import { endpoint } from '../../runtime/http/endpoint.ts'
import { Graph, GraphQuery } from '../../runtime/memory/graph/schema.ts'
import { showGraph } from '../../runtime/memory/graph/view.ts'

export const graph = endpoint({
  method: 'GET',
  path: '/api/memory/graph',
  summary: 'What the memory knows of: entities, the most mentioned first, and the facts between them',
  query: GraphQuery,
  returns: Graph,
  async run({ query }, context) {
    return showGraph(context, query)
  },
})
