import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { proxyPolicy } from '../../../adapters/node/http/request.ts'

const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage

test.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['127.8.8.8', true],
  ['192.168.1.5', false],
  ['::ffff:10.0.0.1', false],
])('without a proxy %s is itself, local: %s', (address, local) => {
  expect(proxyPolicy([]).peerOf(from(address))).toEqual({ address, local })
})

test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'])(
  "a request with %s is never local, and a stranger's header is ignored",
  (name) => {
    expect(proxyPolicy([]).peerOf(from('127.0.0.1', { [name]: '127.0.0.1' }))).toEqual({
      address: '127.0.0.1',
      local: false,
    })
  },
)

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['127.0.0.1, 203.0.113.9', '203.0.113.9'],
  ['203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ['nonsense', '::ffff:10.0.0.1'],
  ['198.51.100.7, nonsense', '::ffff:10.0.0.1'],
  ['', '::ffff:10.0.0.1'],
])('behind a trusted proxy "%s" is %s', (chain, address) => {
  const policy = proxyPolicy(['10.0.0.0/8'])

  expect(policy.peerOf(from('::ffff:10.0.0.1', { 'x-forwarded-for': chain }))).toEqual({
    address,
    local: false,
  })
})

test('only a trusted proxy can declare the outside https', () => {
  const headers = { 'x-forwarded-proto': 'https' }

  expect(proxyPolicy(['10.0.0.1']).protocolOf(from('10.0.0.1', headers))).toBe('https')
  expect(proxyPolicy(['10.0.0.1']).protocolOf(from('10.0.0.2', headers))).toBe('http')
})
