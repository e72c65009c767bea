import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allows, type Match, type Permission, type Question, readValue } from '../../runtime/chat/permission.ts'
import type { Effect, ExecutionMode, Risk } from '../../runtime/tools/modes.ts'
import { decide } from '../../runtime/tools/policy.ts'

const at = Date.parse('2026-01-05T12:00:00Z')
const place = { agent_id: 'agent_1', project_id: null, loop_id: null, tainted: false }
const question = (input: unknown, changes: Partial<Question> = {}): Question => ({
  ...{ owner_id: 'user_1', conversation_id: 'conv_1', place, tool: 'send', risk: 'medium', at, input },
  ...changes,
})
const permission = (changes: Partial<Permission> = {}): Permission => ({
  ...{ owner_id: 'user_1', tool: 'send', match: [], scope: {}, hours: null, until: null, uses_left: null },
  ...changes,
})
const isAllowed = (match: Match, value: unknown) =>
  allows(permission({ match: [match] }), question({ [match.argument]: value }), 'UTC')

test.each<[string, unknown, boolean]>([
  ['printer.example', 'https://printer.example/jobs', true],
  ['printer.example', 'http://PRINTER.example./jobs', true],
  ['printer.example', 'https://printer.example:8443/', false],
  ['printer.example:8443', 'https://printer.example:8443/', true],
  ['printer.example', 'https://printer.example.evil.test/', false],
  ['printer.example', 'https://evil.test/printer.example', false],
  ['printer.example', 'https://printer.example@evil.test/', false],
  ['printer.example', 'https://evil.test\\@printer.example/', false],
  ['printer.example', 'https://a.printer.example/', false],
  ['*.printer.example', 'https://a.printer.example/', true],
  ['*.printer.example', 'https://printer.example/', false],
  ['*.printer.example', 'https://myprinter.example/', false],
  ['127.0.0.1', 'http://2130706433/', true],
  ['printer.example', 'file://printer.example/x', false],
  ['printer.example', 'printer.example', false],
  ['printer.example', ['https://printer.example/'], false],
  ['printer.example', { href: 'https://printer.example/' }, false],
])('a host is compared as a host: %s and %j', (value, argument, allowed) => {
  expect(isAllowed({ argument: 'url', op: 'host', value }, argument)).toBe(allowed)
})

test.each<[Match['op'], unknown, unknown, boolean]>([
  ['at_most', 20, 20, true],
  ['at_most', 20, 0, true],
  ['at_most', 20, 20.01, false],
  ['at_most', 20, '5', false],
  ['at_most', 20, -5, false],
  ['at_most', 20, Number.NaN, false],
  ['at_most', '20', 5, false],
  ['equals', 'on', 'on', true],
  ['equals', 'on', 'On', false],
  ['equals', '1', 1, false],
  ['equals', true, 'true', false],
  ['equals', null, null, false],
  ['one_of', ['ann', 'ben'], 'ben', true],
  ['one_of', ['ann', 'ben'], 'be', false],
  ['one_of', ['ann', 'ben'], ['ben'], false],
  ['one_of', 'ann,ben', 'ann', false],
  ['prefix', 'notes', 'notes', true],
  ['prefix', 'notes', 'notes/a/b.md', true],
  ['prefix', 'notes', 'notes/../b.md', false],
  ['prefix', 'notes', 'notes\\..\\b.md', false],
  ['prefix', 'notes', 'notes/%2e%2e/b.md', false],
  ['prefix', 'notes', ['notes/b.md'], false],
  ['prefix', '', 'notes/b.md', false],
])('%s %j and the argument %j', (op, value, argument, allowed) => {
  expect(isAllowed({ argument: 'x', op, value }, argument)).toBe(allowed)
})

test.each(['equals', 'one_of', 'at_most'] as const)('%s takes no number that JSON cannot keep', (op) => {
  const value = op === 'one_of' ? [Infinity] : Infinity
  expect(readValue({ argument: 'x', op, value })).toHaveProperty('problem')
})

test('an argument is a member of the input, at any depth, and nothing that all objects have', () => {
  const match: Match[] = [{ argument: 'to.name', op: 'equals', value: 'ann' }]
  expect(allows(permission({ match }), question({ to: { name: 'ann' } }), 'UTC')).toBe(true)
  for (const input of [{}, { to: 'ann' }, { 'to.name': 'ann' }, null, 'ann'])
    expect(allows(permission({ match }), question(input), 'UTC')).toBe(false)
  expect(isAllowed({ argument: 'constructor.name', op: 'equals', value: 'Object' }, undefined)).toBe(false)
})

test('hours are those of the owner', () => {
  const hours = { start: '12:30', end: '13:30' }
  expect(allows(permission({ hours }), question({}), 'UTC')).toBe(false)
  expect(allows(permission({ hours }), question({}), 'Europe/Berlin')).toBe(true)
})

/** Conditions, values and calls from few words, so that many of them match. */
const word = fc.constantFrom('a', 'notes', 'notes/x', 'https://p.example/', 'p.example', 5, true)
const match = fc.record({
  argument: fc.constantFrom('x', 'y'),
  op: fc.constantFrom<Match['op']>('equals', 'one_of', 'prefix', 'host', 'at_most'),
  value: fc.oneof(word, fc.array(word, { maxLength: 3 })),
})
const ids = fc.constantFrom('1', '1', '1', '1', '2')
const permissions = fc.record({
  owner_id: ids,
  tool: ids,
  match: fc.array(match, { maxLength: 2 }),
  scope: fc.oneof(
    fc.constant({}),
    fc.record({ agent_id: ids, conversation_id: ids, project_id: ids, loop_id: ids }, { requiredKeys: [] }),
  ),
  hours: fc.constantFrom(null, { start: '08:00', end: '13:00' }, { start: '20:00', end: '08:00' }),
  until: fc.constantFrom(null, '2026-01-05T11:59:59Z', '2026-01-06T00:00:00Z'),
  uses_left: fc.constantFrom(null, 0, 1),
})
const questions = fc.record({
  owner_id: ids,
  conversation_id: ids,
  place: fc.record({ agent_id: ids, project_id: ids, loop_id: ids, tainted: fc.boolean() }),
  tool: ids,
  input: fc.record({ x: fc.oneof(word, fc.record({ y: word })), y: word }, { requiredKeys: [] }),
  risk: fc.constantFrom<Risk>('low', 'medium', 'high'),
  at: fc.constant(at),
})
const modes = fc.record({
  execution_mode: fc.constantFrom<ExecutionMode>('read_only', 'approval_required', 'auto'),
  effect: fc.constantFrom<Effect>('read', 'own', 'write', 'propose'),
  mode: fc.constantFrom<'plan' | 'agent'>('plan', 'agent'),
})

test('of all calls and permissions, none that is tainted, of high risk or of another owner passes', () => {
  let passed = 0
  const property = fc.property(permissions, questions, modes, (one, asked, mode) => {
    const allowed = allows(one, asked, 'UTC')
    const { risk } = asked
    const { tainted } = asked.place
    const before = decide({ ...mode, risk, tainted, permitted: false })
    const after = decide({ ...mode, risk, tainted, permitted: allowed })
    if (allowed) {
      passed += 1
      expect([risk, tainted, asked.owner_id, asked.tool]).toEqual([
        expect.not.stringMatching('high'),
        false,
        one.owner_id,
        one.tool,
      ])
      expect(one.uses_left).not.toBe(0)
    }
    // Whatever the caller says: a permission lifts no refusal, and no question about a high risk or untrusted text.
    const lifted = decide({ ...mode, risk, tainted, permitted: true })
    if (before.do === 'refuse' || risk === 'high' || tainted) expect(lifted).toEqual(before)
    if (!allowed) expect(after).toEqual(before)
  })
  fc.assert(property, { numRuns: 20_000, seed: 27 })
  expect(passed).toBeGreaterThan(100)
})
