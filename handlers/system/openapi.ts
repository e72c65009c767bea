import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { describeApi, type OpenApi, type RouteTables } from '../../runtime/http/openapi.ts'
import { file } from '../../runtime/http/returns.ts'
import type { Secrets } from '../../runtime/ports/secrets.ts'
import { docsPage } from './docs/page.ts'
import { script, signInPage } from './docs/sign-in.ts'
import { style } from './docs/style.ts'

/** A minimal schema: the full one of OpenAPI is longer than all of ours. */
const Document = z.looseObject({ openapi: z.string(), info: z.looseObject({ version: z.string() }) })

/**
 * The API documentation as an OpenAPI document and as a page. The endpoints are loaded on call, because these are among
 * them; both documents are cached because they are large.
 */
export function documents(tables: () => Promise<RouteTables>) {
  const documentOf = once(async (version) => describeApi(await tables(), version))
  return [openapi(documentOf, tables), signIn, docs(documentOf)] as const
}

/** As bytes, because encoding them for each answer takes milliseconds. */
const encoder = new TextEncoder()

type DocumentOf = (version: string) => Promise<OpenApi>

const Query = z.object({
  path: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Only the operations of this path and of those below it, such as /api/hooks' }),
})

function openapi(documentOf: DocumentOf, tables: () => Promise<RouteTables>) {
  const bytesOf = once(async (version) => encoder.encode(JSON.stringify(await documentOf(version))))
  const partOf = async (version: string, under: string) => {
    const isPart = ({ path }: { path: string }) => path === under || path.startsWith(`${under}/`)
    const { endpoints } = await tables()
    return JSON.stringify(describeApi({ endpoints: endpoints.filter(isPart), sockets: [] }, version))
  }
  return endpoint('GET /api/openapi.json', {
    summary: 'Get the API as an OpenAPI 3.1 document',
    owner: 'none',
    query: Query,
    returns: file({ 'application/json': Document }),
    async run({ query: { path } }, { config: { version } }) {
      const document = path === undefined ? await bytesOf(version) : await partOf(version, path)
      return new Response(document, { headers: { 'content-type': 'application/json' } })
    },
  })
}

const signIn = endpoint('GET /api/docs', {
  summary: 'Open the API documentation, which asks for a key',
  access: 'public',
  returns: file('text/html'),
  run: async (_, { secrets }) => page(signInPage, secrets),
})

function docs(documentOf: DocumentOf) {
  const pageOf = once(async (version) => encoder.encode(docsPage(await documentOf(version))))
  return endpoint('GET /api/docs/content', {
    summary: 'Read the API documentation',
    owner: 'none',
    returns: file('text/html'),
    run: async (_, { config, secrets }) => page(await pageOf(config.version), secrets),
  })
}

function page(markup: string | Uint8Array<ArrayBuffer>, secrets: Secrets): Response {
  policy ??= policyOf(secrets)
  return new Response(markup, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  })
}

/** Cached: hashing the texts takes longer than the rest of an answer. */
let policy: string | undefined

/** The only style and the only script are allowed by their hashes, and requests to this daemon only. */
function policyOf(secrets: Secrets): string {
  const [styles, scripts] = [style, script].map((text) => `'sha256-${base64OfHex(secrets.sha256(text))}'`)
  return `default-src 'none'; style-src ${styles}; script-src ${scripts}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

const base64OfHex = (hex: string) =>
  btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))))

/** Caches the last result; a process has only one version. */
function once<Result>(make: (version: string) => Result): (version: string) => Result {
  let last: { version: string; result: Result } | undefined
  return (version) => {
    if (last?.version !== version) last = { version, result: make(version) }
    return last.result
  }
}
