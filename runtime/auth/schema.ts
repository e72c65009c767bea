import { z } from 'zod'
import { type Role, type Scope, scopes } from './caller.ts'

export const ScopeName = z.enum(scopes as readonly [Scope, ...Scope[]])

/** Scopes of a session, by role. */
export const roleScopes = { admin: ['admin'], user: ['read', 'write', 'approve'] } as const satisfies Record<
  Role,
  readonly Scope[]
>

export const RoleName = z.enum(['admin', 'user'])

const Time = z.string().meta({ format: 'date-time' })

/** ASCII only, so that no two names look alike. The display name is not restricted. */
const Username = z
  .string()
  .trim()
  .max(64)
  .regex(
    /^[a-z0-9][a-z0-9._@+-]{0,63}$/i,
    'must be 1 to 64 characters of a-z 0-9 . _ @ + -, starting with a letter or digit',
  )

/** Minimum against guessing (NIST SP 800-63B), maximum to bound the cost of hashing. */
const Password = z.string().min(10).max(1024)

const DisplayName = z.string().trim().min(1).max(100)
const KeyName = z.string().trim().min(1).max(100)

export const User = z.object({
  id: z.string(),
  username: z.string(),
  role: RoleName,
  display_name: z.string(),
  created_at: Time,
  last_login_at: Time.nullable(),
})
export type User = z.output<typeof User>

const roleLabels = {
  user: 'User: chats, reads, changes, approves',
  admin: 'Administrator: everything',
}

export const NewUser = z.object({
  username: Username.meta({ title: 'Username', format: 'username' }),
  password: Password.meta({
    title: 'Password',
    description: 'At least 10 characters',
    format: 'secret',
  }),
  role: RoleName.default('user').meta({ title: 'Role', labels: roleLabels }),
  display_name: DisplayName.optional().meta({ title: 'Name' }),
})
export type NewUser = z.output<typeof NewUser>

export const UserChange = z.object({
  role: RoleName.optional().meta({ title: 'Role', labels: roleLabels }),
  display_name: DisplayName.optional().meta({ title: 'Name' }),
  password: Password.optional().meta({
    title: 'New password',
    description: 'Leave blank to keep the current one. A new one ends all sessions',
    format: 'secret',
    labels: { null: 'Unchanged' },
  }),
})
export type UserChange = z.output<typeof UserChange>

export const PasswordChange = z.object({ current_password: z.string().max(1024), new_password: Password })
export type PasswordChange = z.output<typeof PasswordChange>

export const Login = z.object({ username: z.string().max(200), password: z.string().max(1024) })
export type Login = z.output<typeof Login>

export const Session = z.object({ token: z.string(), expires_at: Time })
export type Session = z.output<typeof Session>

export const LoginResult = Session.extend({ token_type: z.literal('Bearer'), user: User })

export const NewKey = z.object({
  name: KeyName.meta({ title: 'Name' }),
  description: z.string().max(1000).default('').meta({ title: 'Description', format: 'line' }),
  scopes: z
    .array(
      ScopeName.meta({
        labels: { read: 'Read', write: 'Write', approve: 'Approve', admin: 'Admin' },
        hints: {
          read: 'Read everything',
          write: 'Chat, create and change',
          approve: 'Answer approval requests only',
          admin: 'Everything, including keys and users',
        },
      }),
    )
    .min(1)
    .default(['read', 'write'])
    .transform((scopes) => [...new Set(scopes)])
    .meta({ title: 'Scopes' }),
  expires_at: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text).toISOString())
    .nullish()
    .transform((time) => time ?? null)
    .meta({ title: 'Expires', description: 'Leave blank if it never expires' }),
})
export type NewKey = z.output<typeof NewKey>

/** The only schema with a plaintext key: the response of creation and rotation. */
export const IssuedKey = z.object({ id: z.string(), name: z.string(), key: z.string(), created_at: Time })
export type IssuedKey = z.output<typeof IssuedKey>

export const KeyEntry = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  scopes: z.array(ScopeName),
  prefix: z.string(),
  created_at: Time,
  last_used_at: Time.nullable(),
  expires_at: Time.nullable(),
})
export type KeyEntry = z.output<typeof KeyEntry>

export const NewAdmin = NewUser.omit({ role: true }).extend({ key_name: KeyName.default('First key') })
export type NewAdmin = z.output<typeof NewAdmin>

export const SetupResult = z.object({ user: User, api_key: IssuedKey, session: Session })
export type SetupResult = z.output<typeof SetupResult>

export const BootstrapState = z.object({
  bootstrap_mode: z.boolean(),
  setup_token_required: z.boolean(),
  version: z.string(),
})

export const Validity = z.object({
  valid: z.boolean(),
  kind: z.enum(['api_key', 'session']).nullable(),
  id: z.string().nullable(),
  scopes: z.array(ScopeName),
  expires_at: Time.nullable(),
})

export const Me = z.object({
  kind: z.enum(['anonymous', 'api_key', 'session', 'system']),
  id: z.string().nullable(),
  name: z.string(),
  scopes: z.array(ScopeName),
  user: User.nullable(),
})

export const Ticket = z.object({ ticket: z.string(), expires_at: Time })
export type Ticket = z.output<typeof Ticket>

export const AuditEntry = z.object({
  id: z.string(),
  at: Time,
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  ip: z.string(),
  request_id: z.string(),
  outcome: z.enum(['ok', 'denied', 'failed']),
})
export type AuditEntry = z.output<typeof AuditEntry>
