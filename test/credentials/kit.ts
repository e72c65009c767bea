import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as credentials from '../../handlers/credentials/credentials.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import type { Credential } from '../../runtime/credentials/credentials.ts'
import { call } from '../support/call.ts'
import { openSite, type Site } from '../tools/web/site.ts'

export interface Received {
  url: URL
  headers: IncomingMessage['headers']
  body: string
}

/** A service that records what it gets. `/to?url=` redirects, `/refuse` answers 401, everything else echoes. */
export async function openService(): Promise<Site & { received: Received[] }> {
  const received: Received[] = []
  const site = await openSite(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://service')
    const { headers } = request
    const one = { url, headers, body: await readText(request) }
    received.push(one)
    if (url.pathname === '/to') return response.writeHead(307, { location: url.searchParams.get('url') ?? '' }).end()
    const status = url.pathname === '/refuse' ? 401 : 200
    response.writeHead(status, { 'content-type': 'application/json', 'x-echo': headers.authorization ?? '' })
    response.end(JSON.stringify({ ...one, url: url.href }))
  })
  return { ...site, received }
}

/** A service with OAuth 2: it issues each access token for 10 minutes, and takes each refresh token once. Who opens `/agree` agrees. */
export async function openOAuth() {
  const requests: URLSearchParams[] = []
  const challenges = new Map<string, string>()
  const valid = { access: '', refresh: '' }
  let answer = (): Promise<void> => Promise.resolve()
  /** What a person gets who agrees on the page. */
  const agree = (page: string): { code: string; state: string } => {
    const { searchParams } = new URL(page)
    const code = `code-${challenges.size}`
    challenges.set(code, searchParams.get('code_challenge') ?? '')
    return { code, state: searchParams.get('state') ?? '' }
  }
  const site = await openSite(async (request, response) => {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const { pathname } = new URL(request.url ?? '', 'http://service')
    if (pathname === '/agree') {
      const { code, state } = agree(`http://service${request.url}`)
      const back = new URL(new URL(`http://service${request.url}`).searchParams.get('redirect_uri') ?? '')
      back.search = String(new URLSearchParams({ code, state }))
      return response.writeHead(302, { location: back.href }).end()
    }
    if (pathname !== '/token')
      return request.headers.authorization === `Bearer ${valid.access}`
        ? send(200, { hello: 'ada' })
        : send(401, { error: 'invalid_token' })
    const form = new URLSearchParams(await readText(request))
    requests.push(form)
    await answer()
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const granted = {
      authorization_code: challenges.get(form.get('code') ?? '') === challenge,
      refresh_token: form.get('refresh_token') === valid.refresh,
      client_credentials: form.get('client_secret') === 'client-secret-0123456789',
    }
    if (!granted[form.get('grant_type') as keyof typeof granted])
      return send(400, { error: 'invalid_grant', error_description: 'no' })
    const count = requests.length
    Object.assign(valid, { access: `access-token-${count}-abcdef`, refresh: `refresh-token-${count}-abcdef` })
    const { access: access_token, refresh: refresh_token } = valid
    const refresh = form.get('grant_type') === 'client_credentials' ? {} : { refresh_token }
    return send(200, { access_token, token_type: 'Bearer', expires_in: 600, ...refresh })
  })
  return {
    ...site,
    requests,
    agree,
    revoke: () => void Object.assign(valid, { access: 'none' }),
    forget: () => void Object.assign(valid, { refresh: 'none' }),
    /** Answers wait for it. */
    hold(until: Promise<void>) {
      answer = () => until
    },
  }
}

export const oauthFields = (origin: string, rest: object = {}) => ({
  ...{ kind: 'oauth2', authorization_url: `${origin}/agree`, token_url: `${origin}/token` },
  ...{ client_id: 'hearthd', client_secret: 'client-secret-0123456789', scope: 'read' },
  ...rest,
})

export async function stored(host: MemoryHost, body: object, caller?: Caller): Promise<Credential> {
  const response = await call(credentials.create, host, {
    body: { name: 'Mine', ...body },
    ...(caller && { caller }),
  })
  const answer = await response.json()
  if (response.status !== 201) throw new Error(JSON.stringify(answer))
  return answer
}
