import { expect, test } from 'vitest'
import { create as createAgent, importOne, update as updateAgent } from '../../handlers/agents/agents.ts'
import { create as createConversation, setExecutionMode } from '../../handlers/chat/conversations.ts'
import {
  create as createBudget,
  remove as removeBudget,
  update as updateBudget,
} from '../../handlers/monitoring/budgets.ts'
import { turnKillSwitch } from '../../handlers/monitoring/usage.ts'
import { create as createJob, update as updateJob } from '../../handlers/scheduler/jobs.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'

const autonomous = { execution_mode: 'autonomous' } as const
const schedule = { type: 'every', interval: 60 }

test.each([
  ['a conversation', createConversation, {}, { ...autonomous }],
  ['the mode of a conversation', setExecutionMode, { id: 'conv_1' }, { ...autonomous }],
  ['an agent', createAgent, {}, { name: 'Cook', ...autonomous }],
  ['the mode of an agent', updateAgent, { id: 'agent_1' }, { ...autonomous }],
  ['an imported agent', importOne, {}, { format: 'hearthd.agent', version: 1, agent: { name: 'Cook', ...autonomous } }],
  ['a job', createJob, {}, { name: 'Job', goal: 'Go', schedule, ...autonomous }],
  ['the mode of a job', updateJob, { id: 'job_1' }, { ...autonomous }],
])('%s that acts without asking needs the scope approve', async (_, endpoint, params, body) => {
  const host = await testHost()
  const caller = { ...adminCaller, scopes: ['read' as const, 'write' as const] }
  const answer = await call(endpoint, host, { params, body, caller })

  expect(answer.status).toBe(403)
  expect((await answer.json()).message).toContain('approve')
  const approving = { ...caller, scopes: [...caller.scopes, 'approve' as const] }
  expect((await call(endpoint, host, { params, body, caller: approving })).status).not.toBe(403)
})

test.each([
  [turnKillSwitch, {}, { paused: true }],
  [createBudget, {}, { scope: { kind: 'global' }, window: 'day', limit_usd: 1 }],
  [updateBudget, { id: 'budget_1' }, { limit_usd: 2 }],
  [removeBudget, { id: 'budget_1' }, undefined],
])('the kill switch and budgets need the scope admin', async (endpoint, params, body) => {
  const host = await testHost()
  const caller = {
    ...adminCaller,
    scopes: ['read' as const, 'write' as const, 'approve' as const],
  }

  expect((await call(endpoint, host, { params, ...(body ? { body } : {}), caller })).status).toBe(403)
})
