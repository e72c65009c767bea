import { expect, test } from 'vitest'
import { assign, type Cooldown, heatOf, type LimitStatus, type World } from '../../runtime/providers/failover.ts'
import { backupDefaults } from '../../runtime/providers/limits.ts'
import type { BackupSettings } from '../../runtime/providers/schema.ts'
import { hour } from '../../runtime/time.ts'

const now = Date.parse('2026-01-05T12:00:00Z')
const later = now + 2 * hour

const openai = { provider: 'openai', model: 'gpt' } as const
const google = { provider: 'google', model: 'gemini' } as const
const anthropic = { provider: 'anthropic', model: 'claude' } as const

interface Given {
  five?: number
  seven?: number
  hard?: number
  over?: boolean
  resets_at?: number
}

const standing = ({ five, seven, hard, over = false, resets_at = later }: Given): LimitStatus => ({
  five_hour: five === undefined ? null : { utilization: five, resets_at },
  seven_day: seven === undefined ? null : { utilization: seven, resets_at },
  hard_limit_until: hard ?? null,
  failed_over: over,
})

interface Case {
  settings?: Partial<BackupSettings>
  limit_statuses?: Record<string, Given>
  cooldowns?: Record<string, Partial<Cooldown>>
}

function world({ settings, limit_statuses = {}, cooldowns = {} }: Case): World {
  const cooldown = { until: later, code: 'rate_limit' as const, strikes: 1, asked: false }
  return {
    settings: { ...backupDefaults, rules: { anthropic: openai }, ...settings },
    limit_statuses: new Map(Object.entries(limit_statuses).map(([name, given]) => [name, standing(given)])),
    cooldowns: new Map(Object.entries(cooldowns).map(([name, given]) => [name, { ...cooldown, ...given }])),
    now,
  }
}

test.each([
  ['nothing is known', {}, 'cool'],
  ['little is used', { five: 0.71 }, 'cool'],
  ['80 % of the 5-hour threshold is used', { five: 0.72 }, 'near'],
  ['just below the 5-hour threshold', { five: 0.89 }, 'near'],
  ['at the 5-hour threshold', { five: 0.9 }, 'out'],
  ['80 % of the 7-day threshold is used', { seven: 0.76 }, 'near'],
  ['at the 7-day threshold', { seven: 0.95 }, 'out'],
  ['the fuller window decides', { five: 0.1, seven: 0.95 }, 'out'],
  ['the vendor refuses', { five: 0, hard: later }, 'out'],
  ['the refusal is over', { five: 0, hard: now }, 'cool'],
  ['the window has begun anew', { five: 1, resets_at: now }, 'cool'],
] as [string, Given, string][])('heat: %s → %#', (_, given, heat) => {
  expect(heatOf(backupDefaults, standing(given), now)).toBe(heat)
})

const pair = { rules: { anthropic: openai, openai: anthropic } }
const chain = { rules: { anthropic: openai, openai: google } }

const cases: [string, Case, Partial<ReturnType<typeof assign>>][] = [
  ['stays while it is near', { limit_statuses: { anthropic: { five: 0.89 } } }, { use: 'primary', failed_over: false }],
  ['fails over at the threshold', { limit_statuses: { anthropic: { five: 0.9 } } }, { use: openai, failed_over: true }],
  [
    'fails over at a hard limit',
    { limit_statuses: { anthropic: { hard: later } } },
    { use: openai, failed_over: true },
  ],
  [
    'stays without a rule, however full',
    { settings: { rules: {} }, limit_statuses: { anthropic: { five: 1 } } },
    { use: 'primary', failed_over: false, heat: 'out' },
  ],
  [
    'stays away between return_below and the threshold',
    { limit_statuses: { anthropic: { five: 0.7, over: true } } },
    { use: openai, failed_over: true },
  ],
  [
    'returns below return_below',
    { limit_statuses: { anthropic: { five: 0.69, over: true } } },
    { use: 'primary', failed_over: false },
  ],
  [
    'returns when the window begins anew',
    { limit_statuses: { anthropic: { five: 1, over: true, resets_at: now } } },
    { use: 'primary', failed_over: false },
  ],
  [
    'does not return by itself when auto_return is off',
    { settings: { auto_return: false }, limit_statuses: { anthropic: { five: 0, over: true } } },
    { use: openai, failed_over: true },
  ],
  [
    'has returned when its rule is gone',
    { settings: { rules: {} }, limit_statuses: { anthropic: { five: 0.8, over: true } } },
    { use: 'primary', failed_over: false },
  ],
  [
    'does not return at a hard limit, although little is used',
    { limit_statuses: { anthropic: { five: 0.1, hard: later, over: true } } },
    { use: openai, failed_over: true },
  ],
  [
    'goes on to the backup of its backup',
    { settings: chain, limit_statuses: { anthropic: { five: 1 }, openai: { five: 1 } } },
    { use: google },
  ],
  [
    'pauses when both are out, until the first of them is back',
    {
      settings: pair,
      limit_statuses: { anthropic: { five: 1 }, openai: { five: 1, resets_at: now + hour } },
    },
    { use: null, until: now + hour },
  ],
  [
    'keeps going with the primary when both are out',
    {
      settings: { ...pair, both_out: 'keep_going' },
      limit_statuses: { anthropic: { five: 1 }, openai: { five: 1 } },
    },
    { use: 'primary', failed_over: true },
  ],
  [
    'keeps going with the backup when the vendor of the primary refuses',
    {
      settings: { ...pair, both_out: 'keep_going' },
      limit_statuses: { anthropic: { hard: later }, openai: { five: 1 } },
    },
    { use: openai },
  ],
  [
    'a circle of backups ends',
    { settings: pair, limit_statuses: { anthropic: { five: 1 }, openai: { five: 0.5 } } },
    { use: openai },
  ],
  [
    'uses the backup while its key has no credit, without failing over',
    { cooldowns: { 'anthropic/*': { code: 'billing' } } },
    { use: openai, failed_over: false },
  ],
  [
    'does not call a backup that cools down',
    { limit_statuses: { anthropic: { five: 1 } }, cooldowns: { 'openai/gpt': {} } },
    { use: null },
  ],
  [
    'an ended cooldown holds nobody back',
    { limit_statuses: { anthropic: { five: 1 } }, cooldowns: { 'openai/gpt': { until: now } } },
    { use: openai },
  ],
]

test.each(cases)('a provider %s', (_, given, expected) => {
  expect(assign('anthropic', world(given))).toMatchObject(expected)
})

test('the offline model always stands in for itself', () => {
  expect(assign('offline', world({}))).toMatchObject({ use: 'primary', heat: 'cool' })
})
