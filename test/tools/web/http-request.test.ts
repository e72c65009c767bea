import { afterAll, beforeAll, expect, test } from 'vitest'
import { ToolError } from '../../../runtime/tools/tool.ts'
import { findTool, toolBench } from '../bench.ts'
import { openSite, type Site } from './site.ts'

let site: Site
beforeAll(async () => {
  site = await openSite(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url === '/png')
      return response.writeHead(200, { 'content-type': 'image/png' }).end(Uint8Array.of(1, 0, 2))
    if (request.url === '/long')
      return response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(60_000))
    if (request.url === '/fail') return response.writeHead(500, { 'content-type': 'text/plain' }).end('broken')
    if (request.url === '/away') return response.writeHead(302, { location: 'http://10.0.0.1/' }).end()
    const { method, headers } = request
    response.writeHead(201, { 'content-type': 'application/json', 'x-tea': 'green' })
    return response.end(JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString() }))
  })
})
afterAll(() => site.close())

interface Answer {
  status: number
  headers: Record<string, string>
  body: string
  truncated: boolean
}

async function send(input: Record<string, unknown>) {
  const { host, use } = await toolBench({ outbound: site.outbound })
  const answer = (await use('http_request', { ...input, url: site.origin + (input.path ?? '/') })) as Answer
  return { answer, lines: host.log.lines }
}

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  '%s sends headers and body and returns the complete response',
  async (method) => {
    const { answer } = await send({
      method,
      headers: { 'x-milk': 'none', 'content-type': 'text/csv' },
      body: 'a,b',
    })

    expect(answer).toMatchObject({ status: 201, truncated: false })
    expect(answer.headers).toMatchObject({ 'x-tea': 'green', 'content-type': 'application/json' })
    expect(JSON.parse(answer.body)).toMatchObject({
      method,
      body: 'a,b',
      headers: { 'x-milk': 'none', 'content-type': 'text/csv' },
    })
  },
)

test('an object is sent as JSON', async () => {
  const { answer } = await send({ method: 'POST', body: { tea: ['green'] } })

  expect(JSON.parse(answer.body)).toMatchObject({
    body: '{"tea":["green"]}',
    headers: { 'content-type': 'application/json' },
  })
})

test('credentials are sent, but never logged', async () => {
  const { answer, lines } = await send({ method: 'GET', headers: { authorization: 'Bearer s3cret-canary' } })

  expect(JSON.parse(answer.body).headers.authorization).toBe('Bearer s3cret-canary')
  expect(JSON.stringify(lines)).not.toContain('s3cret-canary')
  expect(
    findTool('http_request')?.summary({
      method: 'GET',
      url: 'https://example.com',
      headers: { authorization: 'Bearer s3cret-canary' },
    }),
  ).toBe('Send a GET request to https://example.com')
})

test('HEAD has no body, an error status is a response, an image is described by its size', async () => {
  expect((await send({ method: 'HEAD' })).answer).toMatchObject({ status: 201, body: '' })
  expect((await send({ path: '/fail' })).answer).toMatchObject({ status: 500, body: 'broken' })
  expect((await send({ path: '/png' })).answer).toMatchObject({ body: '[image/png, 3 bytes]' })
})

test('a long body is cut with a note', async () => {
  const { answer } = await send({ path: '/long' })

  expect(answer.truncated).toBe(true)
  expect(answer.body).toHaveLength(50_000)
})

test.each([
  [{ method: 'GET', body: 'x' }, 'takes no body'],
  [{ headers: { Host: 'example.com' } }, 'Host'],
  [{ headers: { 'Transfer-Encoding': 'chunked' } }, 'Transfer-Encoding'],
  [{ headers: { 'bad name': 'x' } }, 'bad name'],
  [{ headers: { good: 'a\r\nb: c' } }, 'good'],
  [{ path: '/away' }, 'private addresses are not allowed'],
])('%j is refused with what to do', async (input, message) => {
  await expect(send(input)).rejects.toThrow(ToolError)
  await expect(send(input)).rejects.toThrow(message)
})

test('reading is medium risk, everything else high', () => {
  const tool = findTool('http_request')
  const judged = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map(
    (method) => `${tool?.effect({ method })} ${tool?.risk({ method })}`,
  )

  expect(judged).toEqual(['read medium', 'read medium', 'write high', 'write high', 'write high', 'write high'])
})
