import { endpoint } from '../../runtime/http/endpoint.ts'
import { memoryClusters } from '../../runtime/memory/clusters/clusters.ts'
import { ClusterQuery, ClusterResponse } from '../../runtime/memory/clusters/schema.ts'

export const clusters = endpoint({
  method: 'GET',
  path: '/api/memory/clusters',
  summary: 'What is remembered as a map: points, what lies together, or why there is none',
  query: ClusterQuery,
  returns: ClusterResponse,
  async run({ query }, context) {
    return memoryClusters(context, query)
  },
})
