import { z } from 'zod'
import { second } from '../../time.ts'
import { isRecord, isTrue } from '../../values.ts'
import { NodeError, type NodeScope, permanentError } from '../node-type.ts'
import { maxOutput } from '../values.ts'
import { statusError } from './requests.ts'

const expression = (description: string) =>
  z.string().trim().max(20_000).default('').meta({ description, 'x-language': 'jsonata' })

export const Pages = z.object({
  next: expression('For example response.body.next. Without a value, there is no further page').meta({
    title: 'Next URL',
  }),
  change: z
    .array(
      z.object({
        in: z.enum(['query', 'headers', 'body']).default('query'),
        name: z.string().min(1).max(200),
        value: expression('For example page + 1, where page is the number of pages so far'),
      }),
    )
    .max(20)
    .default([])
    .meta({ title: 'Changes', description: 'Parameters that differ from page to page' }),
  until: z
    .enum(['empty', 'status', 'expression'])
    .default('empty')
    .meta({
      title: 'The last page',
      labels: { empty: 'Is empty', status: 'Has a certain status', expression: 'Makes an expression true' },
    }),
  statuses: z.array(z.int().min(100).max(599)).max(50).default([404]).meta({ title: 'Statuses of the last page' }),
  expression: expression('For example $not(response.body.has_more)').meta({ title: 'Expression for the last page' }),
  max: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .default(100)
    .meta({ title: 'Pages at most', labels: { null: 'No limit' } }),
  pause_seconds: z.number().min(0).max(3_600).default(0).meta({ title: 'Pause between pages', unit: 'seconds' }),
})
export type Pages = z.output<typeof Pages>

/** Parameters that are expressions, which see `response` and `page`. */
export const pageCode = {
  'pages.next': 'jsonata',
  'pages.change.*.value': 'jsonata',
  'pages.expression': 'jsonata',
} as const

/** The part of the parameters that makes a request. */
interface PageRequest {
  method: string
  url: string
  query: Record<string, string | number | boolean | null>
  headers: Record<string, string>
  body?: unknown
  fail_on_error: boolean
}

export interface PageAnswer {
  status: number
  headers: Record<string, string>
  host: string
  /** Empty for a file. */
  text: string
  /** Throws `NodeError` if it is not what the node expects. */
  body(): unknown
}

/** Without a limit of its own, a node that never comes to an end fails. */
const maxPages = 10_000

/** Equal answers in a row, after which the node has lost its way. */
const maxEqual = 5

/** Sends a request for each page, one after the other. */
export async function allPages<Request extends PageRequest, Answer extends PageAnswer>(
  { params, pages, scope }: { params: Request; pages: Pages; scope: NodeScope },
  send: (request: Request) => Promise<Answer>,
): Promise<Answer[]> {
  const { context } = scope
  const answers: Answer[] = []
  let variables = variablesOf(params, 0)
  let size = 0
  let equal = 0
  for (;;) {
    const request = await requestFor(pages, params, { scope, variables })
    if (!request) return answers
    const answer = await send(request)
    const before = answers.at(-1)
    answers.push(answer)
    size += answer.text.length
    if (size > maxOutput)
      throw permanentError('too_large', `The pages have more than ${maxOutput} characters; fetch fewer of them`)
    equal = before && answer.text !== '' && isSame(before, answer) ? equal + 1 : 1
    if (equal === maxEqual) throw lost(`The last ${maxEqual} answers were the same, so no more pages are fetched`)
    variables = variablesOf(params, answers.length, answer)
    const isLast = pages.max !== null && answers.length >= pages.max
    const ends = isLast || (await isEnd(pages, variables, scope))
    const isFailure = answer.status >= 400 && params.fail_on_error
    const isExpected = ends && !isLast && pages.until !== 'empty'
    if ((isFailure && !isExpected) || (!ends && (answer.status < 200 || answer.status > 299)))
      throw statusError(answer.status, answer.host, answer.text)
    if (ends) return answers
    if (answers.length >= maxPages) throw lost(`After ${maxPages} pages there is still a further one`)
    if (pages.pause_seconds > 0) await context.clock.after(pages.pause_seconds * second, context.signal)
  }
}

const lost = (message: string) =>
  new NodeError('pages', `${message}\nCheck what changes from page to page, and which page is the last.`, {
    permanent: true,
  })

const isSame = (before: PageAnswer, answer: PageAnswer): boolean =>
  (before.headers.etag ?? before.text) === (answer.headers.etag ?? answer.text)

/** What expressions see of the page before. Those in the language of n8n have its names. */
interface Variables extends Record<string, unknown> {
  response: Partial<Pick<PageAnswer, 'status' | 'headers'>> & { body?: unknown }
  /** Pages so far. */
  page: number
}

function variablesOf(request: PageRequest, page: number, answer?: PageAnswer): Variables {
  const { method, url, query, headers, body } = request
  const own = answer ? { status: answer.status, headers: answer.headers, body: bodyOf(answer) } : {}
  return {
    response: own,
    page,
    $pageCount: page,
    $response: answer ? { ...own, statusCode: answer.status } : {},
    $request: { method, url, uri: url, qs: query, headers, body },
  }
}

/** An answer with an error may have any body. */
function bodyOf(answer: PageAnswer): unknown {
  if (answer.status < 400) return answer.body()
  try {
    return answer.body()
  } catch {
    return answer.text
  }
}

async function requestFor<Request extends PageRequest>(
  { next, change }: Pages,
  params: Request,
  { scope, variables }: { scope: NodeScope; variables: Variables },
): Promise<Request | null> {
  const request = { ...params, query: { ...params.query }, headers: { ...params.headers } }
  if (next !== '') {
    const url = await scope.evaluate('pages.next', next, variables)
    const hasNone = url === undefined || url === null || url === ''
    if (hasNone && variables.page > 0) return null
    if (!hasNone) {
      request.url = nextUrl(url)
      // The address of a page says which page it is.
      for (const name of new URL(request.url).searchParams.keys()) delete request.query[name]
    }
  }
  for (const [index, { in: place, name, value: code }] of change.entries()) {
    const value = await scope.evaluate(`pages.change.${index}.value`, code, variables)
    if (value === undefined) continue
    if (place === 'body') request.body = withMember(request.body, name, value)
    else if (value === null) delete request[place][name]
    else if (typeof value === 'object')
      throw permanentError('invalid_params', `${name} is ${kindOf(value)}, not a text`)
    else request[place][name] = String(value)
  }
  return request
}

const kindOf = (value: object): string => (Array.isArray(value) ? 'a list' : 'an object')

function nextUrl(url: unknown): string {
  if (typeof url === 'string' && URL.canParse(url)) return url
  const message = `${String(url)} is not a valid URL.\nMake sure the "Next URL" parameter evaluates to a valid URL.`
  throw new NodeError('pages', message, { permanent: true })
}

function withMember(body: unknown, name: string, value: unknown): unknown {
  if (body === undefined || body === null || isRecord(body)) return { ...body, [name]: value }
  throw permanentError('invalid_params', `The body is no object, so that ${name} cannot be set in it`)
}

async function isEnd({ until, statuses, expression }: Pages, variables: Variables, { evaluate }: NodeScope) {
  const { status = 0, body } = variables.response
  if (until === 'status') return statuses.includes(status)
  if (until === 'empty') return Array.isArray(body) ? body.length === 0 : !body
  return isTrue(await evaluate('pages.expression', expression, variables))
}
