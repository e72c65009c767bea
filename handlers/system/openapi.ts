import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { describeApi, type OpenApi, type RouteTables } from '../../runtime/http/openapi.ts'
import { file } from '../../runtime/http/returns.ts'
import { docsPage } from './docs/page.ts'
import { style } from './docs/style.ts'

/** A minimal schema: the full one of OpenAPI is longer than all of ours. */
const Document = z.looseObject({ openapi: z.string(), info: z.looseObject({ version: z.string() }) })

/**
 * The API documentation as an OpenAPI document and as a page. The endpoints are loaded on call, because these two are
 * among them; both documents are cached because they are large.
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
    summary: 'Get the API as an OpenAPI 3.1 document',
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
    summary: 'Read the API documentation',
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

/** Allows no scripts and no requests; the only style is allowed by its hash. */
function policy(sha256: string): string {
  const bytes = (sha256.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
  const hash = btoa(String.fromCharCode(...bytes))
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/** Caches the last result; a process has only one version. */
function once<Result>(make: (version: string) => Result): (version: string) => Result {
  let last: { version: string; result: Result } | undefined
  return (version) => {
    if (last?.version !== version) last = { version, result: make(version) }
    return last.result
  }
}
