import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { servedSections } from '../../handlers/settings/sections.ts'
import { agents } from '../../runtime/agents/agents.ts'
import { retentionKinds } from '../../runtime/retention.ts'

/**
 * Where each stored setting has its effect: the file that reads the member, by section. A setting without a reader does
 * not belong in a section. `whole: …` is a value that the file passes on as one; `kind: …` one of
 * several that it reads by a computed name.
 */
const readers: Record<string, Record<string, string>> = {
  profile: {
    display_name: 'web/api/settings.ts',
    avatar_url: 'web/app/navigation.tsx',
    timezone: 'web/parts/time.tsx',
    theme: 'web/app/theme.ts',
  },
  agent: {
    default_model: 'runtime/providers/access.ts',
    max_steps: 'runtime/agents/agents.ts',
    compaction_pct: 'runtime/chat/turn/compact.ts',
    titles: 'runtime/chat/title-work.ts',
    first_token_seconds: 'runtime/chat/turn/content.ts',
    timeout_seconds: 'runtime/chat/turn/turn.ts',
  },
  channels: { public_base_url: 'runtime/channels/settings.ts' },
  notifications: { channel_id: 'runtime/channels/announce.ts', events: 'runtime/channels/announce.ts' },
  interface: {
    language: 'web/app/interface.ts',
    density: 'web/app/interface.ts',
    start_page: 'web/app/interface.ts',
    show_reasoning: 'web/app/interface.ts',
    show_tool_calls: 'web/app/interface.ts',
    'notifications.approvals': 'web/app/notices.ts',
    'notifications.answers': 'web/app/notices.ts',
    'notifications.failures': 'web/app/notices.ts',
  },
  security: {
    default_execution_mode: 'runtime/agents/agents.ts',
    session_hours: 'runtime/auth/sessions.ts',
    approval_timeout_minutes: 'runtime/chat/turn/ask.ts',
    audit_retention_days: 'runtime/settings/area.ts',
    allowed_paths: 'runtime/tools/workspace.ts',
    blocked_commands: 'runtime/sandbox/run.ts',
    redact_patterns: 'runtime/auth/security.ts',
  },
  strategy: {
    default: 'runtime/projects/strategy.ts',
    ...Object.fromEntries(
      ['performance', 'balanced', 'economy', 'thorough'].flatMap((name) =>
        ['parallelism', 'model', 'review'].map((member) => [
          `profiles.${name}.${member}`,
          'runtime/projects/strategy.ts',
        ]),
      ),
    ),
  },
  proactive: {
    enabled: 'runtime/chat/check-ins.ts',
    check_ins: 'runtime/chat/check-ins.ts',
    max_per_day: 'runtime/chat/check-ins.ts',
    'quiet_hours.start': 'runtime/chat/proactive.ts',
    'quiet_hours.end': 'runtime/chat/proactive.ts',
  },
  email: {
    enabled: 'runtime/settings/email.ts',
    host: 'adapters/mail/mail.ts',
    port: 'adapters/mail/mail.ts',
    security: 'adapters/mail/mail.ts',
    username: 'adapters/mail/mail.ts',
    from: 'runtime/settings/email.ts',
    sealed_password: 'runtime/settings/email.ts',
    password_hint: 'runtime/settings/email.ts',
  },
  memory: {
    enabled: 'runtime/memory/capture/capture.ts',
    auto_capture: 'runtime/memory/capture/capture.ts',
    recall_limit: 'runtime/memory/recall/recall.ts',
    min_score: 'runtime/memory/recall/recall.ts',
    half_life_days: 'runtime/memory/search/search.ts',
    'embedding.provider': 'runtime/memory/search/embedding.ts',
    'embedding.model': 'runtime/memory/search/embedding.ts',
    'consolidation.enabled': 'runtime/memory/jobs/background.ts',
    'consolidation.cron': 'runtime/memory/jobs/background.ts',
    'consolidation.max_calls_per_run': 'runtime/memory/jobs/consolidate.ts',
    'retention.max_episodes': 'runtime/memory/maintenance/store.ts',
    'retention.max_age_days': 'runtime/memory/maintenance/store.ts',
    'retention.delete_below_importance': 'runtime/memory/maintenance/store.ts',
    dedupe_threshold: 'runtime/memory/capture/capture.ts',
    redact_secrets: 'runtime/memory/capture/capture.ts',
    share_between_agents: 'runtime/memory/search/search.ts',
  },
  dispatcher: {
    enabled: 'runtime/dispatcher/decide.ts',
    min_confidence: 'runtime/dispatcher/decide.ts',
    clarify_below: 'runtime/dispatcher/route.ts',
    default_agent_id: 'runtime/dispatcher/dispatch.ts',
    rules: 'runtime/dispatcher/decide.ts',
    allowed_intents: 'runtime/dispatcher/decide.ts',
  },
  retention: {
    // By its kind: settings[`${kind}_days`].
    ...Object.fromEntries(retentionKinds.map((kind) => [`${kind}_days`, 'kind: runtime/settings/retention.ts'])),
    budget_mb: 'runtime/settings/retention.ts',
  },
  backup: {
    enabled: 'runtime/settings/backup/backups.ts',
    time: 'runtime/settings/backup/backups.ts',
    keep_daily: 'runtime/settings/backup/rotation.ts',
    keep_weekly: 'runtime/settings/backup/rotation.ts',
    folder: 'runtime/settings/backup/backups.ts',
    files: 'runtime/settings/backup/jobs.ts',
    keys: 'runtime/settings/backup/jobs.ts',
  },
  sandbox: {
    enabled: 'runtime/sandbox/engine.ts',
    backend: 'runtime/sandbox/engine.ts',
    image: 'runtime/sandbox/containers.ts',
    network: 'runtime/sandbox/containers.ts',
    cpu_limit: 'runtime/sandbox/containers.ts',
    memory_mb: 'runtime/sandbox/containers.ts',
    pids_limit: 'runtime/sandbox/containers.ts',
    workspace_access: 'runtime/sandbox/containers.ts',
    disk_mb: 'runtime/sandbox/run.ts',
    timeout_seconds: 'runtime/sandbox/run.ts',
    idle_stop_seconds: 'runtime/sandbox/containers.ts',
    env: 'runtime/sandbox/containers.ts',
  },
  browser: {
    backend: 'handlers/browser/session.ts',
    headless: 'adapters/browser/lifecycle.ts',
    auto_snapshot: 'runtime/browser/use.ts',
    snapshot_interval_ms: 'web/pages/browser/context.tsx',
    stream_fps: 'runtime/browser/live-view.ts',
    stream_quality: 'runtime/browser/live-view.ts',
    ssrf_allowlist: 'adapters/browser/setup.ts',
    ssrf_blocklist: 'adapters/browser/setup.ts',
  },
  browser_profile: {
    user_agent: 'adapters/browser/setup.ts',
    locale: 'adapters/browser/setup.ts',
    timezone: 'adapters/browser/setup.ts',
    color_scheme: 'adapters/browser/setup.ts',
    'geolocation.latitude': 'whole: adapters/browser/setup.ts',
    'geolocation.longitude': 'whole: adapters/browser/setup.ts',
    'geolocation.accuracy': 'whole: adapters/browser/setup.ts',
  },
  browser_credentials: { sites: 'runtime/browser/http-credentials.ts' },
  browser_emulation: {
    'emulation.preset': 'adapters/browser/setup.ts',
    'emulation.viewport.width': 'adapters/browser/setup.ts',
    'emulation.viewport.height': 'adapters/browser/setup.ts',
    'emulation.device_scale_factor': 'adapters/browser/setup.ts',
    'emulation.is_mobile': 'adapters/browser/setup.ts',
    'emulation.user_agent': 'adapters/browser/setup.ts',
  },
  agents: {
    name: 'runtime/chat/welcome.ts',
    description: 'runtime/chat/welcome.ts',
    avatar: 'web/pages/chat/assistant-message.tsx',
    enabled: 'runtime/agents/agents.ts',
    system_prompt: 'runtime/chat/turn/turn.ts',
    'model.provider': 'runtime/providers/plan.ts',
    'model.model': 'runtime/providers/plan.ts',
    'model.fallbacks': 'runtime/providers/plan.ts',
    temperature: 'runtime/chat/turn/content.ts',
    max_output_tokens: 'runtime/chat/turn/content.ts',
    max_steps: 'runtime/chat/turn/turn.ts',
    'tools.allow': 'runtime/tools/registry.ts',
    'tools.deny': 'runtime/tools/registry.ts',
    skills: 'runtime/settings/skills/tool.ts',
    mcp_servers: 'runtime/settings/mcp/tools.ts',
    'memory.enabled': 'runtime/memory/recall/recall.ts',
    'memory.scope': 'runtime/memory/search/search.ts',
    'memory.capture': 'runtime/memory/capture/capture.ts',
    'memory.recall_limit': 'runtime/memory/recall/recall.ts',
    'sandbox.mode': 'runtime/sandbox/shell.ts',
    execution_mode: 'runtime/chat/turn/decision.ts',
    'budget.run_usd': 'runtime/ledger/budget-limits.ts',
    'budget.daily_usd': 'runtime/ledger/budget-limits.ts',
    archetype: 'web/pages/agents/agent-drawer.tsx',
    users: 'runtime/agents/agents.ts',
    is_default: 'runtime/agents/store.ts',
  },
}

const root = fileURLToPath(new URL('../..', import.meta.url))

function fieldsOf(schema: z.core.$ZodType, path: string[] = []): string[] {
  let inner = schema
  for (;;) {
    const { def } = inner._zod as unknown as { def: { innerType?: z.core.$ZodType } }
    if (!def.innerType) break
    inner = def.innerType
  }
  if (!(inner instanceof z.ZodObject)) return [path.join('.')]
  return Object.entries(inner.shape).flatMap(([name, member]) => fieldsOf(member as z.core.$ZodType, [...path, name]))
}

/** `.name`, `{ name }`, `('name')`; not the definition `name: z.…`. */
const reads = (name: string) =>
  new RegExp(`\\.${name}\\b(?!\\s*=[^=])|[{,(]\\s*${name}(?:\\s*[,}=)]|:\\s*\\w+\\s*[,}])|: '${name}'`)

const sections: [string, z.ZodObject][] = [
  ...servedSections.map(({ section }): [string, z.ZodObject] => [section.name, section.schema]),
  ['agents', agents.Changes],
]

describe.each(sections)('%s', (section, schema) => {
  const known = readers[section] ?? {}

  test('each stored setting has a reader', () => {
    expect(fieldsOf(schema).sort()).toEqual(Object.keys(known).sort())
  })

  test.each(Object.entries(known))('%s is read by %s', (path, reader) => {
    const [, whole, file = ''] = /^(whole: |kind: )?(.*)$/.exec(reader) ?? []
    const text = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    if (whole === 'kind: ') return expect(text).toContain(path.endsWith('_days') && '_days`]')
    const names = path.split('.')
    expect(text).toMatch(reads((whole ? names[0] : names.at(-1)) ?? ''))
  })
})
