import { describe, expect, test } from 'vitest'
import { matchesAddress, matchesHost, readRule } from '../../../runtime/outbound/targets.ts'

const matches = (entry: string, host: string, port = 80) => {
  const rule = readRule(entry)
  if (!rule) throw new Error(`${entry} is no rule`)
  return matchesHost(rule, host, port)
}

describe('an entry names a host', () => {
  test.each([
    ['example.com', 'example.com', 80, true],
    ['EXAMPLE.com.', 'example.com', 80, true],
    ['bücher.example', 'xn--bcher-kva.example', 80, true],
    ['example.com', 'api.example.com', 80, false],
    ['*.example.com', 'api.example.com', 80, true],
    ['*.example.com', 'a.b.example.com', 80, true],
    ['*.example.com', 'example.com', 80, false],
    ['*.example.com', 'evilexample.com', 80, false],
    ['example.com:8080', 'example.com', 8080, true],
    ['example.com:8080', 'example.com', 80, false],
    ['example.com:80', 'example.com', 80, true],
    ['example.com:80', 'example.com', 8080, false],
    ['https://example.com', 'example.com', 443, true],
    ['https://example.com', 'example.com', 80, false],
    ['http://10.0.0.5:11434/', '10.0.0.5', 11434, true],
    ['10.0.0.5', '10.0.0.5', 1234, true],
    ['10.0.0.5:80', '10.0.0.5', 81, false],
    ['10.0.0.0/8', '10.200.0.1', 80, true],
    ['10.0.0.0/8', '11.0.0.1', 80, false],
    ['0xa.1', '10.0.0.1', 80, true],
    ['fd00::/8', 'fd12::1', 80, true],
    ['::1', '::1', 80, true],
    ['[::1]:8080', '::1', 8080, true],
    ['[::1]:8080', '::1', 80, false],
    ['0.0.0.0/0', 'example.com', 80, false],
  ])('%s, %s:%i: %s', (entry, host, port, expected) => {
    expect(matches(entry, host, port)).toBe(expected)
  })
})

test.each([
  ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ['10.0.0.0/8', '64:ff9b::a00:1', true],
  ['10.0.0.0/8', 'not an address', false],
  ['::/0', '10.0.0.1', false],
  ['example.com', '10.0.0.1', false],
])('%s holds the address %s: %s', (entry, address, expected) => {
  const rule = readRule(entry)

  expect(rule && matchesAddress(rule, address, 80)).toBe(expected)
})

test.each([
  '',
  ' ',
  '*',
  '*.',
  'a b',
  'http://',
  'ftp://example.com',
  'example.com/path',
  'user@example.com',
  '10.0.0.0/33',
  '*.10.0.0.1',
  'a.*.b',
  'example.com:99999',
  'http://example.com/path',
  'x?y',
  'x#y',
])('%j is no entry', (entry) => {
  expect(readRule(entry)).toBeNull()
})
