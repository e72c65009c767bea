import type { Scene } from './types.ts'

/** Said once in a conversation, so that nobody takes it for a real model. */
export const NOTICE =
  'I am the built-in offline model: I follow fixed rules and use tools, but I do not reason or know the world.'

const PROVIDER =
  'a model provider under Settings → Providers (a vendor key, or a local Ollama, which needs no key).'
export const ADD_PROVIDER = `For that, add ${PROVIDER}`
export const ADD_FOR_MORE = `For anything else, add ${PROVIDER}`

const LACKING: Record<string, string> = {
  memory_save: 'remember things',
  memory_search: 'look into memory',
  web_fetch: 'read web pages',
  http_request: 'send HTTP requests',
  browser: 'open a browser',
  files: 'work with files',
  todo: 'keep a to-do list',
  schedule_job: 'schedule or remind',
  list_jobs: 'see scheduled jobs',
  cancel_job: 'cancel scheduled jobs',
  arm_check_in: 'check back later',
  project: 'handle projects',
  workflow: 'handle workflows',
}

export function lacks(tool: string): string {
  return `I cannot ${LACKING[tool] ?? `use ${tool}`} in this conversation: the tool ${tool} is not available here.`
}

/** The first of the tools that exists now. */
export function firstTool(scene: Scene, ...tools: string[]): string | undefined {
  return tools.find((tool) => scene.tools.has(tool))
}
