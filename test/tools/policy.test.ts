import { describe, expect, test } from 'vitest'
import type { Effect, ExecutionMode, Risk } from '../../runtime/tools/modes.ts'
import { type Circumstances, decide } from '../../runtime/tools/policy.ts'

const usual: Circumstances = {
  mode: 'agent',
  execution_mode: 'approval_required',
  effect: 'write',
  risk: 'medium',
  permitted: false,
  tainted: false,
}
const answer = (changes: Partial<Circumstances>): string => decide({ ...usual, ...changes }).do

const executionModes: ExecutionMode[] = ['read_only', 'approval_required', 'auto', 'autonomous']
const effects: Effect[] = ['read', 'own', 'write', 'propose']
const risks: Risk[] = ['low', 'medium', 'high']
const either = [false, true]

const everyCase = executionModes.flatMap((execution_mode) =>
  effects.flatMap((effect) =>
    risks.flatMap((risk) =>
      either.flatMap((permitted) => either.map((tainted) => ({ execution_mode, effect, risk, permitted, tainted }))),
    ),
  ),
)

test('chat mode uses no tools, whatever they are', () => {
  for (const some of everyCase) expect(answer({ ...some, mode: 'chat' })).toBe('refuse')
})

test('plan mode changes nothing, whatever was permitted, and may propose', () => {
  for (const some of everyCase)
    expect(answer({ ...some, mode: 'plan' }) === 'refuse').toBe(['own', 'write'].includes(some.effect))
})

test('after external text plan mode asks before it proposes', () => {
  expect(answer({ mode: 'plan', effect: 'propose' })).toBe('run')
  expect(answer({ mode: 'plan', effect: 'propose', tainted: true })).toBe('ask')
  expect(answer({ mode: 'agent', effect: 'propose' })).toBe('ask')
})

test("read_only refuses every change, even of the agent's own notes", () => {
  for (const some of everyCase.filter((one) => one.execution_mode === 'read_only')) {
    expect(answer(some) === 'refuse').toBe(some.effect !== 'read')
  }
})

test('autonomous never asks and never refuses', () => {
  for (const some of everyCase.filter((one) => one.execution_mode === 'autonomous')) expect(answer(some)).toBe('run')
})

test("the agent's own notes are stored without asking wherever changes are allowed, unless untrusted text makes them a risk", () => {
  for (const some of everyCase.filter((one) => one.effect === 'own' && one.execution_mode !== 'read_only')) {
    const isPlain = some.risk === 'low' || !some.tainted || some.execution_mode === 'autonomous'
    expect(answer(some)).toBe(isPlain ? 'run' : 'ask')
  }
})

test('after external text only autonomous mode allows a side effect without asking', () => {
  const cases = everyCase.filter((one) => one.tainted && one.effect === 'write' && one.execution_mode !== 'autonomous')
  for (const some of cases) expect(answer(some)).not.toBe('run')
})

describe('writing', () => {
  test.each<[ExecutionMode, Risk, { permitted?: boolean; tainted?: boolean }, string]>([
    ['approval_required', 'low', {}, 'ask'],
    ['approval_required', 'medium', {}, 'ask'],
    ['approval_required', 'high', {}, 'ask'],
    ['approval_required', 'medium', { permitted: true }, 'run'],
    ['approval_required', 'high', { permitted: true }, 'ask'],
    ['approval_required', 'medium', { permitted: true, tainted: true }, 'ask'],
    ['auto', 'low', {}, 'run'],
    ['auto', 'medium', {}, 'run'],
    ['auto', 'high', {}, 'ask'],
    ['auto', 'high', { permitted: true }, 'ask'],
    ['auto', 'low', { tainted: true }, 'ask'],
    ['auto', 'medium', { permitted: true, tainted: true }, 'ask'],
  ])('%s, risk %s, %j → %s', (execution_mode, risk, rest, expected) => {
    expect(answer({ execution_mode, risk, ...rest })).toBe(expected)
  })
})

describe('reading', () => {
  test.each<[ExecutionMode, Risk, boolean, string]>([
    ['read_only', 'low', true, 'run'],
    ['read_only', 'medium', false, 'run'],
    ['read_only', 'medium', true, 'ask'],
    ['approval_required', 'medium', false, 'run'],
    ['approval_required', 'medium', true, 'ask'],
    ['auto', 'high', false, 'run'],
    ['auto', 'high', true, 'ask'],
    ['autonomous', 'high', true, 'run'],
  ])('%s, risk %s, tainted %s → %s', (execution_mode, risk, tainted, expected) => {
    expect(answer({ effect: 'read', execution_mode, risk, tainted })).toBe(expected)
  })
})

test('a refusal has a reason', () => {
  expect(decide({ ...usual, mode: 'chat' })).toEqual({
    do: 'refuse',
    reason: expect.stringContaining('chat mode'),
  })
  expect(decide({ ...usual, mode: 'plan' })).toEqual({
    do: 'refuse',
    reason: expect.stringContaining('plan mode'),
  })
  expect(decide({ ...usual, execution_mode: 'read_only' })).toEqual({
    do: 'refuse',
    reason: expect.stringContaining('only read'),
  })
})
