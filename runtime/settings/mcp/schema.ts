import { z } from 'zod'
import { changesOf } from '../../fields.ts'

/** Part of the names of its tools, so it is short and uses only characters that every vendor accepts. */
export const ServerName = z
  .string()
  .min(1)
  .max(32)
  .regex(/^[a-zA-Z0-9]+([_-][a-zA-Z0-9]+)*$/, 'must be letters and digits, joined by single hyphens or underscores')

export const Transport = z.enum(['stdio', 'http', 'sse'])

const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((value) => !/[\r\n]/.test(value), 'must be one line')

const command = text(1_000).refine((value) => value.trim() !== '', 'must name a program')
const args = z.array(z.string().max(10_000)).max(200)
const url = z
  .url({ protocol: /^https?$/ })
  .max(4_000)
  .refine((value) => !/^https?:\/\/[^/]*@/.test(value), 'must hold no credentials; use headers')

const envName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable')

/** Headers that the transport sets itself. */
const ownHeaders = /^(host|connection|content-length|content-type|transfer-encoding|accept|upgrade|te|mcp-.*)$/i

const headerName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header')
  .refine((name) => !ownHeaders.test(name), 'is set by the connection itself')

const headerValue = z
  .string()
  .max(16_384)
  .regex(/^[\x20-\x7e\t]*$/, 'must be one line of ASCII')

const secrets = 'one per line. Stored encrypted and never shown again'
const envMeta = { title: 'Variables', description: `NAME=value, ${secrets}` }
const headersMeta = { title: 'Headers', description: `Name: value, ${secrets}` }
const env = z.record(envName, z.string().max(100_000))
const headers = z.record(headerName, headerValue)

/**
 * Whether the tools of a server need approval. `ask`: always, like tools with side effects, regardless of what the server reports.
 * `read_only`: tools that the server calls read-only run without approval, even after untrusted text.
 */
export const ServerTrust = z.enum(['ask', 'read_only'])
export type ServerTrust = z.output<typeof ServerTrust>

const fields = {
  name: ServerName.meta({ title: 'Name', description: 'Part of the names of its tools' }),
  transport: Transport.meta({
    title: 'Transport',
    labels: { stdio: 'Local program', http: 'URL', sse: 'URL (SSE)' },
  }),
  command: command
    .nullable()
    .default(null)
    .meta({ title: 'Program', format: 'line', labels: { null: 'npx' } }),
  args: args.default([]).meta({ title: 'Arguments', description: 'Passed without a shell' }),
  url: url
    .nullable()
    .default(null)
    .meta({ title: 'URL', labels: { null: 'https://…/mcp' } }),
  /** Names or `prefix*` of the tools that agents may be given. */
  tool_allow: z.array(z.string().min(1).max(200)).max(500).default(['*']).meta({ title: 'Allowed tools' }),
  timeout_seconds: z
    .int()
    .min(1)
    .max(3_600)
    .default(60)
    .meta({ title: 'Timeout', description: 'Per call', unit: 'seconds' }),
}

/** The settings, with a value for every member; a server is disabled until a person connects it. */
export const NewServer = z
  .strictObject({
    ...fields,
    env: env.default({}).meta(envMeta),
    headers: headers.default({}).meta(headersMeta),
  })
  .superRefine(({ transport, command, url }, check) => {
    const missing = transport === 'stdio' ? command === null && 'command' : url === null && 'url'
    if (missing) check.addIssue({ code: 'custom', path: [missing], message: `is needed for ${transport}` })
  })
export type NewServer = z.output<typeof NewServer>

/** `env` and `headers` are merged by name; null removes one. Only a change sets `trust`: no file or catalog entry does. */
export const ServerChanges = changesOf({
  ...fields,
  env: z.record(envName, env.valueType.nullable()).meta(envMeta),
  headers: z.record(headerName, headerValue.nullable()).meta(headersMeta),
  enabled: z.boolean(),
  trust: ServerTrust.meta({
    title: 'Approval',
    description:
      'Tools that the server calls read-only still receive what an agent sends them. If trusted, they run without approval, even after an agent has read untrusted text',
    labels: { ask: 'Ask before every tool', read_only: 'Trust its read-only tools' },
  }),
}).strict()
export type ServerChanges = z.infer<typeof ServerChanges>

/**
 * `approved` is what agents may use. `changed` and `new` wait for an administrator, `gone` is no longer
 * offered, `not_allowed` is excluded by `tool_allow`.
 */
export const ToolState = z.enum(['approved', 'not_allowed', 'changed', 'new', 'gone'])

/** The tool's own description. */
const ToolWords = z.object({ description: z.string(), input_schema: z.record(z.string(), z.unknown()) })

export const ToolEntry = z.object({
  /** The server's name for it. */
  name: z.string(),
  /** The agents' name for it: `mcp__<server>__<tool>`. */
  tool: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  effect: z.enum(['read', 'write']),
  risk: z.enum(['low', 'medium', 'high']),
  state: ToolState,
  /** For a changed tool: as it was approved, and as it is offered now. */
  change: z.object({ before: ToolWords, after: ToolWords }).nullable(),
})
export type ToolEntry = z.infer<typeof ToolEntry>

/** `idle`: it is started when an agent needs it. */
export const ServerState = z.enum(['disabled', 'idle', 'connecting', 'connected', 'restarting', 'failed'])
export type ServerState = z.infer<typeof ServerState>

export const ToolServer = z.object({
  id: z.string(),
  name: z.string(),
  transport: Transport,
  command: z.string().nullable(),
  args: z.array(z.string()),
  /** Names of the variables that are set; values are never shown. */
  env_names: z.array(z.string()),
  url: z.string().nullable(),
  header_names: z.array(z.string()),
  enabled: z.boolean(),
  tool_allow: z.array(z.string()),
  timeout_seconds: z.int(),
  trust: ServerTrust,
  catalog_id: z.string().nullable(),
  status: ServerState,
  /** Something it offers differs from what was approved. */
  suspended: z.boolean(),
  tools: z.array(ToolEntry),
  last_error: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type ToolServer = z.infer<typeof ToolServer>

export const ServerStatus = z.object({
  id: z.string(),
  status: ServerState,
  since: z.string().nullable(),
  attempts: z.int(),
  next_try_at: z.string().nullable(),
  last_error: z.string().nullable(),
  /** The end of its process's error output. */
  stderr: z.string(),
  suspended: z.boolean(),
  tools: z.array(ToolEntry.pick({ name: true, tool: true, state: true })),
})
export type ServerStatus = z.infer<typeof ServerStatus>

export const ServerTest = z.object({
  ok: z.boolean(),
  latency_ms: z.int(),
  tools: z.array(z.string()),
  error: z.string().nullable(),
})
export type ServerTest = z.infer<typeof ServerTest>

/** The tools that were approved. */
export const Approved = ToolServer.extend({
  approved: z.object({
    added: z.array(z.string()),
    changed: z.array(z.string()),
    removed: z.array(z.string()),
  }),
})
export type Approved = z.infer<typeof Approved>
