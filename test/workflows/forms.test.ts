import { describe, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import * as forms from '../../handlers/workflows/forms.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { uploaded } from '../files/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, executionsOf, nodeRun, started } from './kit.ts'

const fields = [
  { name: 'name', label: 'Your name', required: true },
  { name: 'age', type: 'number' },
  { name: 'mail', type: 'email' },
  { name: 'day', type: 'date' },
  { name: 'size', type: 'select', options: ['S', 'M'] },
  { name: 'extras', type: 'multiselect', options: ['Milk', 'Sugar'] },
  { name: 'agree', type: 'checkbox' },
]

async function activated(host: MemoryHost, nodes: Parameters<typeof drawn>[0], arrows: string[]) {
  const { id } = await created(host, drawn(nodes, arrows))
  await call(workflows.activate, host, { params: { id } })
  const { triggers } = await (await call(workflows.triggers, host, { params: { id } })).json()
  return { id, token: tokenIn(triggers[0].path) }
}

const tokenIn = (path: string | null): string => path?.split('/').at(-1) ?? ''

async function shown(host: MemoryHost, token: string) {
  const response = await call(forms.getForm, host, { params: { token } })
  return { response, html: await response.text() }
}

const pageIn = (html: string): string => /name="page" value="([^"]*)"/.exec(html)?.[1] ?? ''

const sent = (host: MemoryHost, token: string, values: Record<string, string> | [string, string][]) =>
  call(forms.postForm, host, {
    params: { token },
    body: new URLSearchParams(values).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

const start = { type: 'trigger.form', params: { title: 'Tea', fields, end_text: 'See you' } }

test('a form is a page without scripts that shows its fields, and nothing that was written there acts', async () => {
  const host = await testHost()
  const evil = '"><script>alert(1)</script>'
  const { token } = await activated(
    host,
    {
      go: {
        type: 'trigger.form',
        params: {
          title: evil,
          description: evil,
          fields: [{ name: evil, label: evil, placeholder: evil, type: 'select', options: [evil] }, ...fields],
        },
      },
    },
    [],
  )
  const { response, html } = await shown(host, token)
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(html).not.toContain('<script')
  expect(html).toContain('Your name')
  expect(html).toContain('type="email"')
})

test('an answer starts the workflow with the fields by name', async () => {
  const host = await testHost()
  const { id, token } = await activated(host, { go: start }, [])
  const values: [string, string][] = [
    ...([
      ['f0', ' Ada '],
      ['f1', '36'],
      ['f2', 'ada@example.com'],
      ['f3', '2026-02-01'],
      ['f4', 'M'],
    ] as [string, string][]),
    ...([
      ['f5', 'Milk'],
      ['f5', 'Sugar'],
      ['f6', 'on'],
      ['other', 'x'],
    ] as [string, string][]),
  ]
  const response = await sent(host, token, values)
  expect(response.status).toBe(303)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([
    {
      trigger: 'form',
      status: 'succeeded',
      output: {
        ...{ name: 'Ada', age: 36, mail: 'ada@example.com', day: '2026-02-01', size: 'M', extras: ['Milk', 'Sugar'] },
        ...{ agree: true, submitted_at: '2026-01-05T12:00:00.000Z' },
      },
    },
  ])
  const end = await shown(host, tokenIn(response.headers.get('location')))
  expect(end.html).toContain('See you')
  const tables = await host.sql.read<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
  const stored = await Promise.all(tables.map(({ name }) => host.sql.read(`SELECT * FROM "${name}"`)))
  expect(JSON.stringify([stored, host.log.lines])).not.toContain(token)
})

test.each([
  [{}, 'This is required'],
  [{ f0: '  ' }, 'This is required'],
  [{ f0: 'Ada', f1: 'many' }, 'Enter a number'],
  [{ f0: 'Ada', f2: 'ada' }, 'Enter an email address'],
  [{ f0: 'Ada', f3: '2026-02-31' }, 'Enter a date'],
  [{ f0: 'Ada', f4: 'XL' }, 'Choose one of the options'],
  [{ f0: 'Ada', f5: 'Salt' }, 'Choose one of the options'],
])('the answer %j is shown again to be corrected', async (values, problem) => {
  const host = await testHost()
  const { id, token } = await activated(host, { go: start }, [])
  const response = await sent(host, token, values as Record<string, string>)
  expect(response.status).toBe(422)
  const html = await response.text()
  expect(html).toContain(problem)
  if ('f1' in values) expect(html).toContain('value="Ada"')
  expect(await executionsOf(host, id)).toEqual([])
})

describe('a form of several pages', () => {
  const more = { type: 'form', params: { title: 'Hello {{ input.name }}', fields: [{ name: 'cups', type: 'number' }] } }
  const last = { type: 'form', params: { kind: 'end', end_title: '{{ input.cups }} cups' } }

  async function atSecondPage() {
    const host = await testHost()
    const { id, token } = await activated(host, { go: start, more, last }, ['go → more', 'more → last'])
    const next = tokenIn((await sent(host, token, { f0: 'Ada' })).headers.get('location'))
    await workOff(host)
    return { host, id, next, html: (await shown(host, next)).html }
  }

  test('shows each with what is known by then, and then the last one', async () => {
    const { host, id, next, html } = await atSecondPage()
    expect(html).toContain('Hello Ada')
    expect((await sent(host, next, { page: pageIn(html), f0: '3' })).status).toBe(303)
    await workOff(host)
    expect((await shown(host, next)).html).toContain('3 cups')
    expect(await executionsOf(host, id)).toMatchObject([{ status: 'succeeded', output: { cups: 3 } }])
  })

  test('is answered once, also by two at the same time', async () => {
    const { host, id, next, html } = await atSecondPage()
    const answers = await Promise.all(['1', '2', '3'].map((f0) => sent(host, next, { page: pageIn(html), f0 })))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409])
    await workOff(host)
    const late = await sent(host, next, { page: pageIn(html), f0: '9' })
    expect(late.status).toBe(409)
    expect(await executionsOf(host, id)).toMatchObject([{ status: 'succeeded', output: { cups: 1 } }])
  })

  test('expires, and its answer is empty then', async () => {
    const host = await testHost()
    const { id } = await created(
      host,
      drawn({ ask: { ...more, params: { ...more.params, expires_after_seconds: 60 } } }, []),
    )
    const run = await started(host, id, { input: { name: 'Bob' } })
    await workOff(host)
    await host.clock.advance(61_000)
    await workOff(host)
    expect(await execution(host, run)).toMatchObject({ status: 'succeeded', output: {}, resume_path: null })
  })

  test('is reached by the owner of a run by hand, at the path of the execution', async () => {
    const host = await testHost()
    const { id } = await created(host, drawn({ more }, []))
    const run = await started(host, id, { input: { name: 'Bob' } })
    await workOff(host)
    const { resume_path, waiting_for } = await execution(host, run)
    expect(waiting_for).toMatchObject([{ kind: 'form', message: 'Hello Bob', options: [] }])
    expect((await shown(host, tokenIn(resume_path))).html).toContain('Hello Bob')
    expect((await shown(host, 'guessed')).response.status).toBe(404)
    await call(executions.cancel, host, { params: { id: run } })
    expect((await shown(host, tokenIn(resume_path))).html).toContain('could not be processed')
  })
})

test('a node waits for a call of the address that the workflow has sent, and takes the first one', async () => {
  const host = await testHost()
  const address = { type: 'set', params: { values: { url: '=execution.resume_url' } } }
  const wait = { type: 'wait_for_call', params: { methods: ['POST'] } }
  const { id } = await created(host, drawn({ address, wait }, ['address → wait']))
  const run = await started(host, id)
  await workOff(host)
  const waiting = await execution(host, run)
  const { url } = (await nodeRun(host, waiting, 1)).output as { url: string }
  expect(waiting.resume_path).toMatch(/^\/api\/workflows\/resume\//)
  const params = { token: tokenIn(url) }
  expect((await call(forms.getCall, host, { params })).status).toBe(409)
  const calls = await Promise.all([1, 2].map((n) => call(forms.postCall, host, { params, body: { n } })))
  expect(calls.map(({ status }) => status).sort()).toEqual([202, 409])
  await workOff(host)
  expect(await execution(host, run)).toMatchObject({
    status: 'succeeded',
    output: { method: 'POST', body: { n: 1 } },
  })
})

test('the forms of n8n, its pages and its waits become those here', async () => {
  const node = (name: string, type: string, parameters: object) => ({
    ...{ name, type: `n8n-nodes-base.${type}`, typeVersion: 2.2, parameters },
  })
  const to = (one: string) => ({ main: [[{ node: one }]] })
  const { workflow, report } = importN8n({
    nodes: [
      node('Form', 'formTrigger', {
        formTitle: 'Order',
        formFields: {
          values: [
            { fieldLabel: 'What', requiredField: true },
            { fieldLabel: 'Size', fieldType: 'dropdown', fieldOptions: { values: [{ option: 'S' }, { option: 'M' }] } },
            { fieldLabel: 'Photo', fieldType: 'file' },
            { fieldLabel: 'Note', fieldType: 'html' },
          ],
        },
        options: { buttonLabel: 'Go', respondWithOptions: { values: { formSubmittedText: 'Done' } } },
      }),
      node('Next', 'form', {
        formFields: { values: [{ fieldLabel: 'More', fieldType: 'textarea' }] },
        options: { formTitle: 'Two' },
      }),
      node('Call', 'wait', { resume: 'webhook', httpMethod: 'POST', limitWaitTime: true }),
      node('Ask', 'wait', { resume: 'form', formTitle: 'Three' }),
      node('End', 'form', { operation: 'completion', completionTitle: 'Bye', completionMessage: '={{ $json.a }}' }),
    ],
    connections: { Form: to('Next'), Next: to('Call'), Call: to('Ask'), Ask: to('End') },
  })
  expect(report.placeholders).toEqual([])
  expect(report.issues.map(({ field }) => field)).toEqual(['path', 'formFields.3'])
  expect(workflow.nodes).toMatchObject([
    {
      type: 'trigger.form',
      params: {
        ...{ title: 'Order', button: 'Go', end_text: 'Done', time_field: 'submittedAt' },
        fields: [
          { name: 'What', type: 'text', required: true },
          { name: 'Size', type: 'select', options: ['S', 'M'] },
          { name: 'Photo', type: 'file' },
        ],
      },
    },
    { type: 'form', params: { title: 'Two', fields: [{ name: 'More', type: 'multiline' }] } },
    { type: 'wait_for_call', params: { methods: ['POST'], expires_after_seconds: 3_600 } },
    { type: 'form', params: { title: 'Three' } },
    { type: 'form', params: { kind: 'end', end_title: 'Bye', end_text: '=js:{{ $json.a }}' } },
  ])
})

test('a file is sent with a form and is a value of the answer', async () => {
  const host = await testHost()
  const ask = { type: 'form', params: { fields: [{ name: 'More', type: 'file', required: true }] } }
  const nodes = { go: { type: 'trigger.form', params: { fields: [{ name: 'My photo', type: 'file' }] } }, ask }
  const { id, token } = await activated(host, nodes, ['go → ask'])
  expect((await shown(host, token)).html).toContain('enctype="multipart/form-data"')
  const upload = (at: string, page: string, name: string) => {
    const form = new FormData()
    form.append('page', page)
    if (name !== '') form.append('f0', new File(['tea'], name, { type: 'text/plain' }))
    return call(forms.postForm, host, { params: { token: at }, body: form })
  }
  const next = tokenIn((await upload(token, '', 'cup.txt')).headers.get('location'))
  await workOff(host)
  const page = pageIn((await shown(host, next)).html)
  expect((await upload(next, page, '')).status).toBe(422)
  expect((await upload(next, page, 'pot.txt')).status).toBe(303)
  await workOff(host)
  const [done] = await executionsOf(host, id)
  const first = (await nodeRun(host, { id: done?.id ?? '' }, 1)).output
  expect(first).toMatchObject({
    'My photo': { name: 'cup.txt', size_bytes: 3 },
    $binary: { My_photo: { name: 'cup.txt' } },
  })
  expect(done?.output).toMatchObject({ More: { name: 'pot.txt', size_bytes: 3 } })
  const links = await host.sql.read<{ execution_id: string }>('SELECT execution_id FROM workflow_files')
  expect(links.filter(({ execution_id }) => execution_id === done?.id)).toHaveLength(2)
})

describe('an approval with fields', () => {
  const asks = {
    type: 'approval',
    params: { message: 'Order?', fields: [{ name: 'amount', type: 'number', required: true }], by_link: true },
  }
  const approving = (ask: object = asks) => drawn({ go: { type: 'trigger.manual' }, ask: ask as never }, ['go → ask'])

  async function asked(host: MemoryHost, ask?: object) {
    const { id } = await created(host, approving(ask))
    const run = await started(host, id)
    await workOff(host)
    const { waiting_for, resume_path } = await execution(host, run)
    return { run, token: waiting_for[0]?.token, path: resume_path, fields: waiting_for[0]?.fields }
  }

  const photo = {
    type: 'approval',
    params: { message: 'Yours?', fields: [{ name: 'photo', type: 'file', required: true }], by_link: true },
  }
  const linksOf = (host: MemoryHost, run: string) =>
    host.sql.read('SELECT made FROM workflow_files WHERE execution_id = ?', [run])

  test('a file that is sent to its page belongs to the execution', async () => {
    const host = await testHost()
    const { run, path } = await asked(host, photo)
    const form = new FormData()
    form.append('page', pageIn((await shown(host, tokenIn(path))).html))
    form.append('choice', 'Approve')
    form.append('f0', new File(['tea'], 'cup.txt', { type: 'text/plain' }))
    expect((await call(forms.postForm, host, { params: { token: tokenIn(path) }, body: form })).status).toBe(303)
    expect(await linksOf(host, run)).toEqual([{ made: 1 }])
  })

  test('a program names a file that it has uploaded, which outlives the execution', async () => {
    const host = await testHost()
    const { run, token } = await asked(host, photo)
    const answer = (photo: unknown) =>
      call(executions.answer, host, { params: { id: run }, body: { token, choice: 'Approve', values: { photo } } })
    for (const value of [undefined, 'file_1', { file_id: 'file_1' }])
      expect((await answer(value)).status, JSON.stringify(value)).toBe(422)
    const { id } = await uploaded(host, 'tea', { name: 'cup.txt' })
    expect((await answer({ file_id: id, name: 'other' })).status).toBe(200)
    await workOff(host)
    const { output } = await execution(host, run)
    expect(output).toMatchObject({ values: { photo: { file_id: id, name: 'cup.txt', size_bytes: 3 } } })
    expect(await linksOf(host, run)).toEqual([{ made: 0 }])
  })

  const answered = (host: MemoryHost, id: string, body: object) =>
    call(executions.answer, host, { params: { id }, body })

  test('is answered with values, which are checked', async () => {
    const host = await testHost()
    const { run, token, fields } = await asked(host)
    expect(fields).toMatchObject([{ name: 'amount', type: 'number', required: true }])
    const refused = await answered(host, run, { token, choice: 'Approve', values: { amount: 'many' } })
    expect([refused.status, await refused.json()]).toEqual([
      422,
      expect.objectContaining({ issues: [{ path: 'values.amount', message: 'Enter a number' }] }),
    ])
    const given = { token, choice: 'Approve', comment: 'Fine', values: { amount: 3, other: 1 } }
    expect((await answered(host, run, given)).status).toBe(200)
    expect((await answered(host, run, given)).status).toBe(409)
    await workOff(host)
    expect((await execution(host, run)).output).toMatchObject({
      choice: 'Approve',
      comment: 'Fine',
      values: { amount: 3 },
    })
  })

  test('is rejected without them', async () => {
    const host = await testHost()
    const { run, token } = await asked(host)
    expect((await answered(host, run, { token, choice: 'Reject' })).status).toBe(200)
    await workOff(host)
    expect((await execution(host, run)).output).toMatchObject({ choice: 'Reject', values: {} })
  })

  test('has a page, which answers it once', async () => {
    const host = await testHost()
    const { run, path } = await asked(host)
    const address = tokenIn(path)
    const { html } = await shown(host, address)
    expect(html).toContain('Order?')
    const page = pageIn(html)
    const wrong = await sent(host, address, { page, f0: 'many', choice: 'Approve' })
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('Enter a number')])
    expect((await sent(host, address, { page, f0: '3', choice: 'Perhaps' })).status).toBe(422)
    expect((await sent(host, address, { page, f0: '3', choice: 'Approve', comment: 'Fine' })).status).toBe(303)
    expect((await sent(host, address, { page, choice: 'Reject' })).status).toBe(409)
    await workOff(host)
    expect((await execution(host, run)).output).toMatchObject({ choice: 'Approve', comment: 'Fine', by: null })
    expect((await shown(host, address)).html).toContain('Nothing waits')
  })

  test('has none unless it says so, and those who answer its forms cannot approve', async () => {
    const host = await testHost()
    const { path } = await asked(host, { ...asks, params: { ...asks.params, by_link: false } })
    expect(path).toBeNull()
    const { token } = await activated(host, { go: start, ask: asks }, ['go → ask'])
    const location = (await sent(host, token, { f0: 'Ada' })).headers.get('location')
    await workOff(host)
    const { html } = await shown(host, tokenIn(location))
    expect(html).not.toContain('Order?')
    expect((await sent(host, tokenIn(location), { page: '2.2', f0: '3', choice: 'Approve' })).status).toBe(409)
  })
})

test('a form that waits can be answered with its values', async () => {
  const host = await testHost()
  const { id } = await created(
    host,
    drawn({ go: { type: 'trigger.manual' }, ask: { type: 'form', params: { fields } } }, ['go → ask']),
  )
  const run = await started(host, id)
  await workOff(host)
  const token = (await execution(host, run)).waiting_for[0]?.token
  const given = { name: ' Ada ', age: 36, extras: ['Milk'], agree: true }
  const answer = (values: object) => call(executions.answer, host, { params: { id: run }, body: { token, values } })
  expect((await answer({ ...given, size: 'XL' })).status).toBe(422)
  expect((await answer({ ...given, name: '' })).status).toBe(422)
  expect((await answer(given)).status).toBe(200)
  await workOff(host)
  const { output } = await execution(host, run)
  expect(output).toMatchObject({ name: 'Ada', age: 36, mail: null, size: null, extras: ['Milk'], agree: true })
})

test('a box that a program does not name is not ticked, and nothing is chosen', async () => {
  const host = await testHost()
  const boxes = [...fields, { name: 'news', type: 'checkbox', value: 'on' }]
  const { id } = await created(
    host,
    drawn({ go: { type: 'trigger.manual' }, ask: { type: 'form', params: { fields: boxes } } }, ['go → ask']),
  )
  const run = await started(host, id)
  await workOff(host)
  const token = (await execution(host, run)).waiting_for[0]?.token
  const answer = await call(executions.answer, host, { params: { id: run }, body: { token, values: { name: 'Ada' } } })
  expect(answer.status).toBe(200)
  await workOff(host)
  expect((await execution(host, run)).output).toMatchObject({ name: 'Ada', extras: [], agree: false, news: true })
})
