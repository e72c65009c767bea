import { z } from 'zod'
import {
  Proposal,
  ProposalsQuery,
  proposals as propose,
  SimulateRequest,
  Simulation,
  simulate as simulated,
} from '../../runtime/chat/permission-proposals.ts'
import { permissions } from '../../runtime/chat/permissions.ts'
import { endpointsOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const { list, create, show, update, remove } = endpointsOf(permissions)

export const simulate = endpoint('POST /api/permissions/simulate', {
  summary: 'Show what a permission would have answered in the last days, without saving it',
  access: 'read',
  idempotent: false,
  body: SimulateRequest,
  returns: Simulation,
  run: ({ body }, context) => simulated(context, body),
})

export const proposals = endpoint('GET /api/permissions/proposals', {
  summary: 'Propose permissions for what was allowed at least three times',
  query: ProposalsQuery,
  returns: z.object({ proposals: z.array(Proposal) }),
  run: async ({ query }, context) => ({ proposals: await propose(context, query) }),
})
