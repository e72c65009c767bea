import { describe, expect, test } from 'vitest'
import { bestBinding, judge, sessionKey } from '../../runtime/channels/policy.ts'
import type { Binding, ChannelSettings } from '../../runtime/channels/schema.ts'
import { splitMarkdown } from '../../runtime/channels/split.ts'
import { bob, dm, group } from './kit.ts'

const settings = (change: Partial<ChannelSettings>): ChannelSettings => ({
  dm_policy: 'pairing',
  group_policy: 'mention',
  allow_from: [],
  messages_per_hour: 20,
  ...change,
})

const approved = (role: 'owner' | 'guest') => ({ status: 'approved' as const, role })
const denied = { status: 'denied' as const, role: null }
const direct = { peer: dm('bob'), sender: bob, is_mention: true }
const mention = { peer: group, sender: bob, is_mention: true }
const talk = { ...mention, is_mention: false }

describe('who may talk', () => {
  test.each([
    ['pairing', direct, null, [], 'pair'],
    ['pairing', direct, approved('guest'), [], 'accept'],
    ['pairing', direct, denied, ['bob'], 'ignore'],
    ['pairing', direct, null, ['bob'], 'accept'],
    ['allowlist', direct, null, [], 'ignore'],
    ['allowlist', direct, null, ['bob'], 'accept'],
    ['allowlist', direct, approved('owner'), [], 'accept'],
    ['open', direct, null, [], 'accept'],
    ['open', direct, denied, [], 'ignore'],
    ['disabled', direct, approved('owner'), ['bob'], 'ignore'],
  ] as const)('direct, %s', (dm_policy, message, pairing, allow_from, expected) => {
    const verdict = judge({
      settings: settings({ dm_policy, allow_from: [...allow_from] }),
      message,
      pairing,
      is_bound: false,
    })
    expect(verdict.do).toBe(expected)
  })

  test.each([
    ['mention', mention, null, [], false, 'ignore'],
    ['mention', mention, null, ['room'], false, 'accept'],
    ['mention', mention, null, [], true, 'accept'],
    ['mention', mention, approved('guest'), [], false, 'accept'],
    ['mention', talk, approved('owner'), ['room'], true, 'ignore'],
    ['allowlist', talk, null, ['room'], false, 'accept'],
    ['allowlist', talk, null, [], false, 'ignore'],
    ['disabled', mention, approved('owner'), ['room'], true, 'ignore'],
  ] as const)('in a group, %s', (group_policy, message, pairing, allow_from, is_bound, expected) => {
    const rules = settings({ group_policy, allow_from: [...allow_from] })
    expect(judge({ settings: rules, message, pairing, is_bound }).do).toBe(expected)
  })

  test('only the paired owner counts as the owner', () => {
    const all = (pairing: ReturnType<typeof approved> | null) =>
      judge({ settings: settings({ dm_policy: 'open' }), message: direct, pairing, is_bound: false })
    expect(all(null)).toEqual({ do: 'accept', from_owner: false, is_stranger: true })
    expect(all(approved('guest'))).toEqual({ do: 'accept', from_owner: false, is_stranger: false })
    expect(all(approved('owner'))).toEqual({ do: 'accept', from_owner: true, is_stranger: false })
  })
})

test('the most specific binding wins, then the priority, then the older one', () => {
  const none = { peer_kind: null, peer_id: null, thread_id: null, team_id: null }
  const binding = (id: string, match: Partial<Binding['match']>, priority = 0): Binding => ({
    ...{ id, channel_id: 'c', match: { ...none, ...match }, agent_id: id, project_id: null },
    ...{ session_scope: 'per_peer', priority, created_at: '' },
  })
  const all = [
    binding('any', {}, 9),
    binding('groups', { peer_kind: 'group' }, 9),
    binding('team', { team_id: 'house' }),
    binding('room', { peer_id: 'room' }),
    binding('room2', { peer_id: 'room' }, 1),
    binding('room3', { peer_id: 'room' }, 1),
    binding('other', { peer_id: 'garden', thread_id: 't' }),
  ]
  const best = (bindings: Binding[], peer = group) => bestBinding(bindings, { peer })?.id
  expect(best(all)).toBe('room2')
  expect(best(all.slice(0, 3))).toBe('team')
  expect(best(all.slice(0, 2))).toBe('groups')
  expect(best(all, dm('bob'))).toBe('any')
  expect(best(all.slice(1), dm('bob'))).toBeUndefined()
})

test('other people never join a conversation of the owner', () => {
  for (const scope of ['per_peer', 'per_channel', 'main'] as const) {
    const owners = sessionKey({ peer: dm('ada') }, scope, true)
    expect(sessionKey({ peer: dm('bob') }, scope, false)).not.toBe(owners)
    expect(sessionKey({ peer: group }, scope, true)).not.toBe(owners)
  }
})

describe('a long text', () => {
  const code = `Before\n\n\`\`\`ts\n${'const tea = 1\n'.repeat(40)}\`\`\`\n\nAfter`

  test.each([60, 100, 333])('is cut at %i characters and keeps code blocks closed', (limit) => {
    const pieces = splitMarkdown(code, limit)
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(limit)
      expect(piece.match(/^```/gm)?.length ?? 0).toBe(piece.includes('```') ? 2 : 0)
    }
    const text = pieces.join('\n').replaceAll(/^```(ts)?\n?/gm, '')
    expect(text.match(/const tea = 1/g)).toHaveLength(40)
  })

  test('without spaces is cut between characters, not within one', () => {
    const pieces = splitMarkdown('🍵'.repeat(100), 51)
    expect(pieces.join('')).toBe('🍵'.repeat(100))
    expect(pieces.every((piece) => piece.length <= 51 && piece.isWellFormed())).toBe(true)
  })

  test('that fits stays as it is', () => {
    expect(splitMarkdown('a\n\nb', 100)).toEqual(['a\n\nb'])
    expect(splitMarkdown('  ', 100)).toEqual([])
  })
})
