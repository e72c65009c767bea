import { expect, test } from 'vitest'
import { judgeAddress, judgeTarget, type Question, readPolicy } from '../../../runtime/outbound/policy.ts'
import { parseTarget } from '../../../runtime/outbound/targets.ts'

interface Case {
  url: string
  allow?: string[]
  block?: string[]
  trusted?: boolean
  own_ports?: number[]
}

function ask({ url, allow, block, trusted = false, own_ports = [] }: Case): Question {
  const parsed = parseTarget(url)
  if (!parsed.ok) throw new Error(parsed.reason)
  const own = { ports: own_ports, addresses: () => ['198.100.1.1', '2606:4700::5'] }
  return { target: parsed.target, policy: readPolicy(allow, block), own, trusted }
}

test.each<[Case, string | null]>([
  [{ url: 'http://example.com/' }, null],
  [{ url: 'http://8.8.8.8/' }, null],
  [{ url: 'http://10.0.0.1/' }, 'private addresses are not allowed'],
  [{ url: 'http://10.0.0.1/', allow: ['10.0.0.0/8'] }, null],
  [{ url: 'http://10.0.0.1/', trusted: true }, null],
  [{ url: 'http://10.0.0.1/', allow: ['10.0.0.0/8'], block: ['10.0.0.1'] }, 'the host is on the blocklist'],
  [{ url: 'http://example.com/', block: ['*.com'], trusted: true }, 'the host is on the blocklist'],
  [{ url: 'http://localhost/' }, 'local names are not allowed'],
  [{ url: 'http://localhost/', allow: ['localhost'] }, null],
  [{ url: 'http://metadata.google.internal/' }, 'metadata addresses are not allowed'],
  [{ url: 'http://169.254.169.254/' }, 'metadata addresses are not allowed'],
  [{ url: 'http://169.254.169.254/', allow: ['169.254.169.254'] }, null],
  [{ url: 'http://8.8.8.8:18781/', own_ports: [18781] }, null],
  [{ url: 'http://198.100.1.1:18781/', own_ports: [18781] }, 'this is the port of the service itself'],
  [{ url: 'http://[2606:4700::5]:18781/', own_ports: [18781] }, 'this is the port of the service itself'],
  [
    { url: 'http://198.100.1.1:18781/', own_ports: [18781], allow: ['198.100.1.1'] },
    'this is the port of the service itself',
  ],
  [{ url: 'http://198.100.1.1:18781/', own_ports: [18781], allow: ['198.100.1.1:18781'] }, null],
  [{ url: 'http://198.100.1.1:18781/', own_ports: [18781], trusted: true }, 'this is the port of the service itself'],
  [{ url: 'http://127.0.0.1:18781/', own_ports: [18781], trusted: true }, 'this is the port of the service itself'],
  [{ url: 'http://169.254.169.254/', trusted: true }, 'metadata addresses are not allowed'],
  [{ url: 'http://[::ffff:169.254.169.254]/', trusted: true }, 'IPv4-mapped addresses are not allowed'],
  [{ url: 'http://metadata.google.internal/', trusted: true }, 'metadata addresses are not allowed'],
  [{ url: 'http://metadata.google.internal/', allow: ['metadata.google.internal'] }, null],
  [{ url: 'http://198.100.1.1/', own_ports: [18781] }, null],
])('%o: %s', (question, refusal) => {
  expect(judgeTarget(ask(question))).toBe(refusal)
})

test.each<[Case, string, string | null]>([
  [{ url: 'http://api.test/' }, '8.8.8.8', null],
  [{ url: 'http://api.test/' }, '10.0.0.1', 'private addresses are not allowed'],
  [{ url: 'http://api.test/', allow: ['api.test'] }, '10.0.0.1', null],
  [{ url: 'http://api.test/', allow: ['10.0.0.0/8'] }, '10.0.0.1', null],
  [{ url: 'http://api.test/', trusted: true }, '10.0.0.1', null],
  [{ url: 'http://api.test/', trusted: true }, '169.254.169.254', 'metadata addresses are not allowed'],
  [{ url: 'http://api.test/', trusted: true }, '::ffff:169.254.169.254', 'IPv4-mapped addresses are not allowed'],
  [{ url: 'http://api.test/', allow: ['api.test'] }, '64:ff9b::a9fe:a9fe', 'NAT64 addresses are not allowed'],
  [{ url: 'http://api.test/', allow: ['169.254.0.0/16'] }, '169.254.169.254', null],
  [{ url: 'http://api.test/', block: ['8.8.0.0/16'] }, '64:ff9b::808:808', 'the address is on the blocklist'],
  [{ url: 'http://api.test/', trusted: true }, 'garbage', 'malformed addresses are not allowed'],
  [
    { url: 'http://api.test:18781/', own_ports: [18781], allow: ['127.0.0.0/8'] },
    '127.0.0.1',
    'this is the port of the service itself',
  ],
  [{ url: 'http://api.test:18781/', own_ports: [18781], allow: ['127.0.0.1:18781'] }, '127.0.0.1', null],
  [
    { url: 'http://api.test:18781/', own_ports: [18781], allow: ['127.0.0.1'] },
    '::ffff:127.0.0.1',
    'this is the port of the service itself',
  ],
])('%o at %s: %s', (question, address, refusal) => {
  expect(judgeAddress(ask(question), address)).toBe(refusal)
})
