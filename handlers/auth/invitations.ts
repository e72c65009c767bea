import { z } from 'zod'
import {
  Acceptance,
  acceptInvitation,
  InvitationToken,
  InvitationWithSecret,
  invitations,
  invite,
  NewInvitation,
  openInvitation,
} from '../../runtime/auth/invitations.ts'
import { LoginResult } from '../../runtime/auth/schema.ts'
import { endpointsOf, listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const { remove } = endpointsOf(invitations)

export const list = listing({
  ...{ path: invitations.path, items: invitations.items, owner: 'shared', access: 'admin' },
  summary: invitations.summaries.list,
  item: invitations.Row,
  rows: invitations.list,
})

export const create = endpoint(`POST ${invitations.path}`, {
  ...{ owner: 'shared', access: 'admin' },
  summary: invitations.summaries.create,
  body: NewInvitation,
  returns: InvitationWithSecret,
  status: 201,
  run: ({ body }, context) => invite(context, body),
})

export const open = endpoint('POST /api/auth/invitations/open', {
  summary: 'Report for whom an invitation is',
  access: 'public',
  idempotent: false,
  body: InvitationToken,
  returns: z.object({ name: z.string(), expires_at: z.string() }),
  async run({ body }, context) {
    const { name, expires_at } = await openInvitation(context, body.token)
    return { name, expires_at }
  },
})

export const accept = endpoint('POST /api/auth/invitations/accept', {
  summary: 'Accept an invitation: create the user with their own password, and sign in',
  access: 'public',
  idempotent: false,
  body: Acceptance,
  returns: LoginResult,
  run: ({ body }, context) => acceptInvitation(context, body),
})
