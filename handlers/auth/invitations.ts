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
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { removal } from '../../runtime/http/removal.ts'

export const list = listing({
  path: '/api/auth/invitations',
  summary: 'List invitations that are not used',
  access: 'admin',
  items: 'invitations',
  item: invitations.Row,
  rows: invitations.list,
})

export const create = endpoint('POST /api/auth/invitations', {
  summary: 'Invite a user by a link, which is shown only in this response',
  access: 'admin',
  body: NewInvitation,
  returns: InvitationWithSecret,
  status: 201,
  run: ({ body }, context) => invite(context, body),
})

export const remove = removal({
  path: '/api/auth/invitations/{id}',
  summary: 'Revoke an invitation',
  access: 'admin',
  remove: invitations.remove,
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
