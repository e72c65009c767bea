import { describe, expect, test } from 'vitest'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import vendors from '../../runtime/workflows/n8n/vendors.json' with { type: 'json' }
import { vendorNodes } from '../../runtime/workflows/n8n/vendors.ts'
import { findNodeType } from '../../runtime/workflows/nodes/index.ts'
import { testHost } from '../support/host.ts'
import { ran } from './kit.ts'

const node = (name: string, type: string, parameters: object = {}) => ({
  ...{ name, type: `n8n-nodes-base.${type}`, typeVersion: 2, position: [0, 0], parameters },
})
const to = (...names: string[]) => names.map((one) => ({ node: one, type: 'main', index: 0 }))

const imported = (type: string, parameters: object) => importN8n({ nodes: [node('A', type, parameters)] })

describe('a node of a service', () => {
  const operations = Object.entries(vendors).flatMap(([name, { base, operations: own }]) =>
    Object.entries(own).map(([operation, request]) => [name, operation, base, request] as const),
  )

  /** A value for every parameter that the request names. */
  function parametersOf(base: string, request: object): Record<string, unknown> {
    const parameters: Record<string, unknown> = {}
    const text = JSON.stringify([base, request])
    for (const [, inAddress, inValue] of text.matchAll(/\{([\w.]+)(?:[^{}"]|\{[^{}]*\})*\}|"\$([\w.]+)[^"]*"/g)) {
      const names = (inAddress ?? inValue ?? '').split('.')
      const last = names.pop() ?? ''
      let at = parameters
      for (const name of names) {
        at[name] ??= {}
        at = at[name] as Record<string, unknown>
      }
      at[last] ??= last === 'value' && names.includes('columns') ? { id: 'rec1' } : 'x'
    }
    return parameters
  }

  test.each(operations)('%s %s is a request', (name, key, base, request) => {
    const [operation, resource] = key.split('.').toReversed()
    const parameters = { ...parametersOf(base, request), operation, ...(resource ? { resource } : {}) }
    const translated = vendorNodes[name]?.({
      ...{ name, version: 2, parameters, has_credential: false, parts: [], report: () => undefined },
    })
    const params = translated?.params as { url: string }
    expect(translated?.type).toBe('http')
    expect(URL.canParse(params.url)).toBe(true)
    expect(params.url).not.toMatch(/[{}$]/)
    expect(findNodeType('http')?.params.safeParse(params).success).toBe(true)
  })

  test('reads its answer, with the parameters in the address and the body', async () => {
    const requests: { url: string; method: string; body: unknown }[] = []
    const outbound = {
      async fetch(url: URL, init: RequestInit) {
        requests.push({
          url: url.href,
          method: init.method ?? '',
          body: JSON.parse(String(init.body ?? 'null')),
        })
        return Response.json({ records: [{ id: 'rec1', createdTime: 'now', fields: { Name: 'Ada' } }] })
      },
    }
    const base = { mode: 'list', value: 'app1', __rl: true }
    const table = { mode: 'list', value: '=t {{ $json.n }}', __rl: true }
    const { workflow, report } = importN8n({
      nodes: [
        node('Start', 'manualTrigger'),
        node('Find', 'airtable', { operation: 'search', base, table, filterByFormula: '=n = {{ $json.n }}' }),
      ],
      connections: { Start: { main: [to('Find')] } },
    })
    expect(report.issues.map(({ field }) => field)).toEqual(['credential', 'operation'])
    const host = await testHost({ outbound: outbound as never })
    expect((await ran(host, workflow, { input: { n: 5 } })).output).toEqual([
      { id: 'rec1', createdTime: 'now', Name: 'Ada' },
    ])
    expect(requests).toEqual([
      { url: 'https://api.airtable.com/v0/app1/t%205?filterByFormula=n+%3D+5', method: 'GET', body: null },
    ])
  })

  test.each([
    ['telegram', { chatId: '7', text: '=Hi {{ $json.name }}' }, { to: '7', message: '=js:Hi {{ $json.name }}' }],
    ['slack', { channel: '#a', text: 'Hi' }, { to: '#a', message: 'Hi' }],
    ['gmail', { sendTo: 'a@example.com', subject: 'S', message: 'Hi' }, { channel: 'email', to: 'a@example.com' }],
  ])('a message of %s is sent on a channel or by mail', (type, parameters, params) => {
    const { workflow, report } = imported(type, parameters)
    expect(workflow.nodes).toMatchObject([{ type: 'notify', input_mode: 'item', params }])
    expect(report.placeholders).toEqual([])
    expect(report.issues.length).toBeGreaterThan(0)
  })

  test.each([
    ['telegram', { operation: 'sendPhoto' }],
    ['notion', { resource: 'toString', operation: 'constructor' }],
    ['airtable', { operation: 'update', base: 'b', table: 't' }],
    ['googleDrive', { operation: 'file.copy' }],
  ])('%s with %j has no equivalent', (type, parameters) => {
    expect(imported(type, parameters).workflow.nodes[0]?.type).toBe('placeholder')
  })
})
