import { describe, expect, test } from 'vitest'
import { classifyName, parseTarget } from '../../../runtime/outbound/targets.ts'

describe('a URL', () => {
  test.each([
    ['http://example.com', { host: 'example.com', port: 80, literal: false }],
    ['https://Example.COM.:8443/x', { host: 'example.com', port: 8443, literal: false }],
    ['https://example.com', { host: 'example.com', port: 443, literal: false }],
    ['http://bücher.example/', { host: 'xn--bcher-kva.example', port: 80, literal: false }],
    ['http://0x7f.1/', { host: '127.0.0.1', port: 80, literal: true }],
    ['http://2130706433:8080/', { host: '127.0.0.1', port: 8080, literal: true }],
    ['http://[::FFFF:127.0.0.1]/', { host: '::ffff:7f00:1', port: 80, literal: true }],
    ['http://１２７。1/', { host: '127.0.0.1', port: 80, literal: true }],
    ['http:\\\\example.com\\x', { host: 'example.com', port: 80, literal: false }],
  ])('%s', (url, target) => {
    expect(parseTarget(url)).toMatchObject({ ok: true, target })
  })

  test.each([
    ['', 'absolute URL'],
    ['/relative', 'absolute URL'],
    ['http://', 'absolute URL'],
    ['http://[fe80::1%25eth0]/', 'absolute URL'],
    ['http://256.0.0.1/', 'absolute URL'],
    ['ftp://example.com/', 'only http and https'],
    ['file:///etc/passwd', 'only http and https'],
    ['javascript:1', 'only http and https'],
    ['http://user@example.com/', 'credentials'],
    ['http://:password@example.com/', 'credentials'],
    ['http://example.com:22/', 'port 22'],
    ['http://example.com:25/', 'port 25'],
    ['https://example.com:10080/', 'port 10080'],
    ['http://example.com:0/', 'port 0'],
    ['http://./', 'names no host'],
  ])('%j is refused for: %s', (url, reason) => {
    expect(parseTarget(url)).toEqual({ ok: false, reason: expect.stringContaining(reason) })
  })
})

test.each([
  ['localhost', 'local name'],
  ['a.b.localhost', 'local name'],
  ['localhost.localdomain', 'local name'],
  ['nas.local', 'local name'],
  ['db.internal', 'local name'],
  ['router.home.arpa', 'local name'],
  ['api.default.svc', 'local name'],
  ['metadata.google.internal', 'metadata'],
  ['metadata', 'metadata'],
  ['example.com', null],
  ['localhost.example.com', null],
  ['mylocalhost', null],
  ['internal.example.com', null],
])('the name %s is %s', (host, kind) => {
  expect(classifyName(host)).toBe(kind)
})
