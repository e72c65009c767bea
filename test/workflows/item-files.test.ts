import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { content } from '../../handlers/files/files.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import * as hooks from '../../handlers/workflows/hooks.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { retainedExecutions } from '../../runtime/workflows/execution-store.ts'
import { uploadedFile } from '../../runtime/workflows/item-files.ts'
import { call } from '../support/call.ts'
import { adminCaller, peer, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, executionsOf, nodeRun, ran, started } from './kit.ts'

const picture = Uint8Array.from([...new TextEncoder().encode('GIF89a'), ...Array(40).fill(7)])
const start = { type: 'trigger.manual' }
const url = 'https://example.com/cats/a%20cat.gif'

/** A host whose GET requests are answered like this, and what else was sent. */
async function hostWith(answer: () => Response) {
  const sent: { type: string | null; bytes: Uint8Array }[] = []
  const outbound = {
    ...noOutbound,
    fetch: async (_: unknown, init: RequestInit = {}) => {
      if (init.method === 'GET') return answer()
      const type = new Headers(init.headers).get('content-type')
      const length = Number(new Headers(init.headers).get('content-length'))
      const bytes = new Uint8Array(await new Response(init.body as BodyInit).arrayBuffer())
      expect(bytes.byteLength).toBe(length)
      sent.push({ type, bytes })
      return Response.json({ ok: true })
    },
  }
  return { host: await testHost({ outbound: outbound as never }), sent }
}

const pictureAnswer = () => new Response(picture, { headers: { 'content-type': 'image/gif' } })
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder('latin1').decode(bytes)

const download = { type: 'http', params: { url } }

async function stored(host: MemoryHost): Promise<number> {
  const rows = await host.sql.read<{ count: number }>('SELECT count(*) AS count FROM files')
  return rows[0]?.count ?? 0
}

test('an answer that is no text becomes a file, and is sent as the body of another request', async () => {
  const { host, sent } = await hostWith(pictureAnswer)
  const upload = { type: 'http', params: { url, method: 'PUT', body_type: 'file', body: '=input.body' } }
  const run = await ran(host, drawn({ start, download, upload }, ['start → download', 'download → upload']))
  expect(run.status).toBe('succeeded')
  const { output } = await nodeRun(host, run, 2)
  expect(output).toMatchObject({
    status: 200,
    body: { name: 'a cat.gif', mime_type: 'image/gif', size_bytes: picture.length },
  })
  expect(sent).toEqual([{ type: 'image/gif', bytes: picture }])
  const { file_id } = (output as { body: { file_id: string } }).body
  const response = await call(content, host, { params: { id: file_id } })
  expect(response.headers.get('content-disposition')).toContain('attachment')
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture)
})

test('text is stored as a file if the node asks for one, under the name that the server gives it', async () => {
  const headers = { 'content-type': 'text/csv', 'content-disposition': `attachment; filename*=UTF-8''f%C3%A4lle.csv` }
  const { host } = await hostWith(() => new Response('a,b\n1,2\n', { headers }))
  const node = { type: 'http', params: { url, response: 'file', only_body: true, file_field: 'data.file' } }
  const run = await ran(host, drawn({ start, node }, ['start → node']))
  expect(run.output).toMatchObject({ data: { file: { name: 'fälle.csv', mime_type: 'text/csv', size_bytes: 8 } } })
})

test('a form takes files beside fields', async () => {
  const { host, sent } = await hostWith(pictureAnswer)
  const body = { title: 'A "cat"', picture: '=input.body' }
  const upload = { type: 'http', params: { url, method: 'POST', body_type: 'multipart', body } }
  await ran(host, drawn({ start, download, upload }, ['start → download', 'download → upload']))
  const [form] = sent
  const parsed = await new Response(form?.bytes as BodyInit, {
    headers: { 'content-type': form?.type ?? '' },
  }).formData()
  expect(parsed.get('title')).toBe('A "cat"')
  const file = parsed.get('picture') as File
  expect([file.name, file.type, new Uint8Array(await file.arrayBuffer())]).toEqual(['a cat.gif', 'image/gif', picture])
})

test('a download that breaks off leaves nothing, and the node fails', async () => {
  const broken = () => {
    let pieces = 0
    const body = new ReadableStream({
      pull(controller) {
        pieces += 1
        if (pieces < 3) controller.enqueue(picture)
        else controller.error(new TypeError('terminated'))
      },
    })
    return new Response(body, { headers: { 'content-type': 'image/gif' } })
  }
  const { host } = await hostWith(broken)
  const run = await ran(host, drawn({ start, download }, ['start → download']))
  expect(run).toMatchObject({ status: 'failed', error: { code: 'no_answer' } })
  expect([await stored(host), await host.files.list('uploads', 'incoming')]).toEqual([0, []])
})

test('an answer that is larger than files may be is an error of the node', async () => {
  const outbound = { ...noOutbound, fetch: async () => pictureAnswer() }
  const host = await testHost({ outbound }, { upload_limit: 20 })
  const run = await ran(host, drawn({ start, download }, ['start → download']))
  expect(run).toMatchObject({ status: 'failed', error: { code: 'too_large' } })
})

test('only a file of a workflow can be sent', async () => {
  const { host, sent } = await hostWith(pictureAnswer)
  const body = { file_id: 'file_01jgf0000000000000000000aa' }
  const upload = { type: 'http', params: { url, method: 'PUT', body_type: 'file', body } }
  const run = await ran(host, drawn({ start, upload }, ['start → upload']))
  expect(run.error).toMatchObject({ code: 'no_file', message: expect.stringContaining('There is no file') })
  expect(sent).toEqual([])
})

test('the files of executions go with the last one that has them', async () => {
  const { host } = await hostWith(pictureAnswer)
  const run = await ran(host, drawn({ start, download }, ['start → download']))
  expect(await stored(host)).toBe(1)
  const again = { input: await nodeRun(host, run, 2) }
  const later = drawn({ start }, [])
  await host.clock.advance(60_000)
  await ran(host, later, again)
  const after = (minutes: number) => new Date(host.clock.now() + minutes * 60_000).toISOString()
  await retainedExecutions.prune(host, after(-0.5), 100)
  expect(await stored(host)).toBe(1)
  await retainedExecutions.prune(host, after(1), 100)
  expect(await stored(host)).toBe(0)
  expect(await host.sql.read('SELECT * FROM workflow_files')).toEqual([])
})

test('a deleted workflow takes its files along', async () => {
  const { host } = await hostWith(pictureAnswer)
  const { id } = await created(host, drawn({ start, download }, ['start → download']))
  await call(executions.execute, host, { params: { id }, body: {} })
  await workOff(host)
  expect(await stored(host)).toBe(1)
  await call(workflows.remove, host, { params: { id } })
  expect(await stored(host)).toBe(0)
})

async function webhook(host: MemoryHost, nodes: object, arrows: string[]) {
  const go = { type: 'trigger.webhook', params: { response: 'respond_node' } }
  const { id } = await created(host, drawn({ go, ...nodes }, arrows))
  await call(workflows.activate, host, { params: { id } })
  const { triggers } = await (await call(workflows.triggers, host, { params: { id } })).json()
  const params = { token: triggers[0].path.split('/').at(-1) }
  return async (body: unknown, headers: Record<string, string> = {}) => {
    let answer: Response | undefined
    const answered = call(hooks.postHook, host, { params, body, headers }).then((response) => {
      answer = response
    })
    while (!answer) {
      await workOff(host)
      await setImmediate()
    }
    await answered
    return { id, answer }
  }
}

test('a webhook receives files in a form, and is answered with a file', async () => {
  const { host } = await hostWith(pictureAnswer)
  const answer = { type: 'respond', params: { respond_with: 'file' } }
  const send = await webhook(host, { answer }, ['go → answer'])
  const form = new FormData()
  form.set('note', 'hi')
  form.set('photo', new File([picture], 'me.gif'))
  const { id, answer: response } = await send(form)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/gif')
  expect(response.headers.get('content-length')).toBe(String(picture.length))
  expect(response.headers.get('content-disposition')).toContain('attachment; filename="me.gif"')
  expect(response.headers.get('content-security-policy')).toContain('sandbox')
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture)
  const [run] = await executionsOf(host, id)
  const photo = { name: 'me.gif', mime_type: 'image/gif', size_bytes: picture.length }
  expect(run?.input).toMatchObject({ body: { note: 'hi', photo }, $binary: { photo } })
})

test('a body that is no text is a file', async () => {
  const { host } = await hostWith(pictureAnswer)
  const answer = { type: 'respond', params: { respond_with: 'json', body: '=input.body.size_bytes' } }
  const send = await webhook(host, { answer }, ['go → answer'])
  const { answer: response } = await send(picture, { 'content-type': 'image/gif' })
  expect(await response.json()).toBe(picture.length)
})

test('the caller of a webhook cannot name a file', async () => {
  const { host } = await hostWith(pictureAnswer)
  const run = await ran(host, drawn({ start, download }, ['start → download']))
  const { output } = await nodeRun(host, run, 2)
  await host.sql.write([{ sql: 'DELETE FROM workflow_files', args: [] }])
  const answer = { type: 'respond', params: { respond_with: 'file' } }
  const send = await webhook(host, { answer }, ['go → answer'])
  const { answer: response } = await send(output)
  expect(response.status).toBe(500)
  expect(textOf(new Uint8Array(await response.arrayBuffer()))).toContain('workflow_failed')
})

test('the files of a sub-workflow last as long as the run that goes on with them', async () => {
  const { host, sent } = await hostWith(pictureAnswer)
  const child = await created(host, drawn({ start, download }, ['start → download']))
  const upload = { type: 'http', params: { url, method: 'PUT', body_type: 'file', body: '=input.body' } }
  const nodes = {
    start,
    sub: { type: 'sub_workflow', params: { workflow_id: child.id } },
    rest: { type: 'delay', params: { seconds: 7_200 } },
    upload,
  }
  const { id } = await created(host, drawn(nodes, ['start → sub', 'sub → rest', 'rest → upload']))
  const run = await started(host, id)
  await workOff(host)
  expect((await call(workflows.remove, host, { params: { id: child.id } })).status).toBe(200)
  expect(await stored(host)).toBe(1)
  await host.clock.advance(7_200_000)
  await workOff(host)
  expect(await execution(host, run)).toMatchObject({ status: 'succeeded' })
  expect(sent).toEqual([{ type: 'image/gif', bytes: picture }])
  await call(workflows.remove, host, { params: { id } })
  expect(await stored(host)).toBe(0)
})

test('a file is not reported as missing because the database does not answer', async () => {
  const host = await testHost()
  const context = { ...contextOf(new Request('http://127.0.0.1/'), host, peer), caller: adminCaller }
  expect(await uploadedFile(context, 'none')).toBe(null)
  const sql = { ...host.sql, read: () => Promise.reject(new Error('no connection')) }
  await expect(uploadedFile({ ...context, sql }, 'none')).rejects.toThrow('no connection')
})
