import { localContext } from '../../../runtime/auth/local.ts'
import { openSession } from '../../../runtime/auth/sessions.ts'
import { listUsers } from '../../../runtime/auth/user-store.ts'
import type { Environment } from '../environment.ts'
import { Failure, type Options, textOption } from './command.ts'
import { withLocalHost } from './local-host.ts'
import { findDaemon } from './target.ts'

export interface Client {
  url: string
  /** Rejects with `Failure` unless the answer is a success. */
  send(method: string, path: string, body?: unknown): Promise<Response>
  /** Ends the session that was opened for this command. */
  close(): Promise<void>
}

/**
 * Speaks to the running daemon. The credential is `--key`, else `SERVICE_API_KEY`, else a session of the first
 * administrator that the command opens in the database itself and closes when it has ended.
 */
export async function connect(environment: Environment, options: Options): Promise<Client> {
  const target = findDaemon(environment, {})
  if (!target) throw new Failure('hearthd is not running; start it with hearthd start')
  const given = textOption(options, 'key') ?? process.env.SERVICE_API_KEY
  const token = given ?? (await openLocalSession(environment))
  const send = (method: string, path: string, body?: unknown) =>
    request(target.url + path, token, method, body)
  const close = async () => void (given ?? (await send('POST', '/api/auth/logout').catch(() => undefined)))
  return { url: target.url, send, close }
}

const openLocalSession = (environment: Environment): Promise<string> =>
  withLocalHost(environment, async (host) => {
    const { users } = await listUsers(host, { limit: 200, offset: 0 })
    const admin = users.find((user) => user.role === 'admin')
    if (!admin) throw new Failure('There is no administrator yet: run hearthd setup, or give --key')
    const context = localContext(host)
    const { session, statement } = await openSession(context, admin.id)
    await context.commit([statement])
    return session.token
  })

async function request(url: string, token: string, method: string, body: unknown): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (response.ok) return response
  throw new Failure(await refusalText(response))
}

/** What a refusal says, in either of its shapes. */
export async function refusalText(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { error?: string; message?: string }
  return body.message ?? body.error ?? `The daemon answered ${response.status}`
}
