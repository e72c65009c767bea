import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { describeApi, type OpenApi, type RouteTables } from '../../runtime/http/openapi.ts'
import { file } from '../../runtime/http/returns.ts'
import { docsPage } from './docs/page.ts'
import { style } from './docs/style.ts'

/** OpenAPI's own schema is longer than all of ours; what matters of it here is this. */
const Document = z.looseObject({ openapi: z.string(), info: z.looseObject({ version: z.string() }) })

/**
 * The interface described by itself: as an OpenAPI document and as a page. The tables are asked for when called,
 * because these endpoints are part of them, and both are written once: they are as long as the whole interface.
 */
export function documents(tables: () => Promise<RouteTables>) {
  const documentOf = once(async (version) => describeApi(await tables(), version))
  return [openapi(documentOf), docs(documentOf)] as const
}

type DocumentOf = (version: string) => Promise<OpenApi>

function openapi(documentOf: DocumentOf) {
  const textOf = once(async (version) => JSON.stringify(await documentOf(version)))
  return endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'The API as an OpenAPI 3.1 document',
    access: 'monitor',
    returns: file({ 'application/json': Document }),
    run: async (_, { config }) =>
      new Response(await textOf(config.version), { headers: { 'content-type': 'application/json' } }),
  })
}

function docs(documentOf: DocumentOf) {
  const pageOf = once(async (version) => docsPage(await documentOf(version)))
  return endpoint({
    method: 'GET',
    path: '/api/docs',
    summary: 'The API as a page to read',
    access: 'monitor',
    returns: file('text/html'),
    async run(_, { config, secrets }) {
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy(secrets.sha256(style)),
      }
      return new Response(await pageOf(config.version), { headers })
    },
  })
}

/** Nothing runs and nothing is fetched; the one style is known by its hash. */
function policy(sha256: string): string {
  const bytes = (sha256.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
  const hash = btoa(String.fromCharCode(...bytes))
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/** Remembers the last result, for the one version that a process has. */
function once<Result>(make: (version: string) => Result): (version: string) => Result {
  let last: { version: string; result: Result } | undefined
  return (version) => {
    if (last?.version !== version) last = { version, result: make(version) }
    return last.result
  }
}
