import { z } from 'zod'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { day, iso } from '../time.ts'
import { auditStatement } from './audit.ts'
import { LinkSecret, newLink, openLink } from './link-token.ts'
import { type LoginResult, NewUser } from './schema.ts'
import { openSession } from './sessions.ts'
import { adoptOrphans, insertUser } from './user-store.ts'
import { newOwnUser } from './users.ts'

/** Invitations to become a user, each by a link that works once. */
export const invitations = collection({
  noun: 'invitation',
  prefix: 'inv',
  path: '/api/auth/invitations',
  items: 'invitations',
  owner: 'shared',
  access: 'admin',
  summaries: {
    list: 'List invitations that are not used',
    create: 'Invite a user by a link, which is shown only in this response',
    remove: 'Revoke an invitation',
  },
  events: { type: 'invitation', id: 'invitation_id' },
  table: { name: 'invitations', columns: ['name', 'role', 'token_hash', 'expires_at'] },
  fields: {
    name: z.string().trim().min(1).max(100).meta({ title: 'For', description: 'The name of the person' }),
    role: NewUser.shape.role,
  },
  once: {
    days: z.int().min(1).max(30).default(7).meta({ title: 'Valid for', unit: 'days' }),
    token: z.string().optional().meta({ format: 'api-only' }),
  },
  state: { expires_at: z.string() },
  hidden: { token_hash: z.string() },
  prepare: async (context, { before, sent: { token = '', days = 7 } }) =>
    before ?? { token_hash: context.secrets.sha256(token), expires_at: iso(context.clock.now() + days * day) },
})

export const NewInvitation = invitations.New.omit({ token: true })
export const InvitationWithSecret = invitations.Row.extend(LinkSecret)

export function invite(context: Context, input: z.output<typeof NewInvitation>) {
  const { token, secret } = newLink(context, '/invitation')
  return invitations.add(context, { ...input, token }, { secret })
}

export const InvitationToken = z.object({ token: z.string().max(200) })
export const Acceptance = NewUser.omit({ role: true }).extend(InvitationToken.shape)

/** The invitation of a link that is valid. */
export const openInvitation = (context: Context, token: string) =>
  openLink(context, token, (token_hash) => invitations.table.find(context, { token_hash }))

/** Makes the user with the password that they chose, signs them in, and uses the invitation up. */
export async function acceptInvitation(
  context: Context,
  { token, password, ...input }: z.output<typeof Acceptance>,
): Promise<z.output<typeof LoginResult>> {
  const { id, role } = await openInvitation(context, token)
  const password_hash = await context.secrets.hashPassword(password)
  const user = newOwnUser(context, { ...input, role })
  const { session, statement } = await openSession(context, user.id)
  const named = { ...context, caller: { ...context.caller, name: user.username } }
  await context.commit(
    [
      invitations.table.delete({ id }, 'This invitation has just been used'),
      insertUser(user, password_hash),
      ...adoptOrphans(context, user.id),
      statement,
      auditStatement(named, { action: 'invitation.accepted', target: user.id }),
    ],
    [
      { type: 'user.created', data: { id: user.id } },
      { type: 'invitation.deleted', data: { invitation_id: id } },
    ],
  )
  return { ...session, token_type: 'Bearer', user }
}
