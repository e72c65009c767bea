import { z } from 'zod'
import { holds } from '../../runtime/auth/caller.ts'
import { AuthState, listAuthStates } from '../../runtime/browser/auth-state-store.ts'
import { AuthStateName, removeAuthState, restoreAuthState, saveAuthState } from '../../runtime/browser/auth-states.ts'
import { holderOf } from '../../runtime/browser/holder.ts'
import { BrowserStatus } from '../../runtime/browser/schema.ts'
import { browserConfig } from '../../runtime/browser/settings.ts'
import { activityOf } from '../../runtime/browser/state.ts'
import { withBrowser } from '../../runtime/browser/use.ts'
import { invalidField } from '../../runtime/fault.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { removal } from '../../runtime/http/removal.ts'
import { readSection } from '../../runtime/sections/section.ts'
import { Cookie } from '../../runtime/tabs/schema.ts'

export const status = endpoint('GET /api/browser/status', {
  owner: 'none',
  summary: 'Get the state of the browser',
  returns: BrowserStatus,
  async run(_, context) {
    const user = holderOf(context)
    const { running, current_url, tabs, started_at } = context.browser.as(user).status()
    const { backend } = await readSection(context, browserConfig)
    const uptime_seconds = started_at === null ? 0 : Math.max(0, (context.clock.now() - started_at) / 1_000)
    return { running, backend, current_url, tabs, uptime_seconds, ...activityOf(context, user) }
  },
})

export const close = endpoint('POST /api/browser/close', {
  owner: 'none',
  summary:
    'Close your tabs; with your last tab your cookies are deleted, and the browser closes unless others have tabs',
  returns: z.object({ closed: z.boolean() }),
  run: async (_, context) => ({ closed: await context.browser.as(holderOf(context)).close() }),
})

export const listCookies = endpoint('GET /api/browser/cookies', {
  owner: 'none',
  summary: 'List the cookies of your browser profile; their values require the scope write',
  returns: z.object({ cookies: z.array(Cookie) }),
  async run(_, context) {
    const cookies = await withBrowser(context, (browser) => browser.cookies())
    const may = holds(context.caller, 'write')
    return { cookies: may ? cookies : cookies.map((cookie) => ({ ...cookie, value: '' })) }
  },
})

export const addCookies = endpoint('POST /api/browser/cookies', {
  owner: 'none',
  summary: 'Set cookies in your browser profile, each for a url or a domain',
  body: z.object({ cookies: z.array(Cookie).min(1).max(1_000) }),
  returns: z.object({ cookies: z.array(Cookie) }),
  status: 201,
  async run({ body }, context) {
    const nowhere = body.cookies.findIndex(({ url, domain }) => url === undefined && domain === undefined)
    if (nowhere >= 0) throw invalidField(`cookies.${nowhere}`, 'needs a url or a domain')
    return withBrowser(context, async (browser) => {
      await browser.addCookies(body.cookies)
      return { cookies: await browser.cookies() }
    })
  },
})

export const clearCookies = endpoint('DELETE /api/browser/cookies', {
  owner: 'none',
  summary: 'Delete every cookie of your browser profile',
  returns: z.object({ deleted: z.literal(true) }),
  async run(_, context) {
    await withBrowser(context, (browser) => browser.clearCookies())
    return { deleted: true }
  },
})

export const listSavedStates = listing({
  path: '/api/browser/auth-states',
  summary: 'List saved sessions',
  items: 'auth_states',
  item: AuthState,
  rows: listAuthStates,
})

export const saveState = endpoint('POST /api/browser/auth-states', {
  summary: 'Save cookies and local storage under a name, replacing an earlier session of that name',
  body: z.object({ name: AuthStateName }),
  returns: AuthState,
  status: 201,
  run: ({ body }, context) => saveAuthState(context, body.name),
})

export const restoreState = endpoint('POST /api/browser/auth-states/{name}/restore', {
  summary: 'Restore saved cookies and local storage, and reload your open tabs',
  returns: AuthState,
  run: ({ params }, context) => restoreAuthState(context, params.name),
})

export const removeState = removal({
  path: '/api/browser/auth-states/{name}',
  summary: 'Delete a saved session',
  remove: removeAuthState,
})
