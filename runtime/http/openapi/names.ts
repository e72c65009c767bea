import { capitalized } from '../../label.ts'
import type { Access, Method } from '../endpoint-info.ts'

/** `/api/agents/{id}` → `agents`, `/health/live` → `health`. */
export function areaOf(path: string): string {
  const [first = '', second = ''] = path.split('/').filter(Boolean)
  return first === 'api' && second !== '' ? second : first
}

/** `GET /api/agents/{id}/export` → `getAgentsIdExport`; paths outside `/api` get `Root`: `getRootHealth`. */
export function operationId(method: Method | 'SOCKET', path: string): string {
  const [first, ...rest] = path.match(/[a-z0-9]+/gi) ?? []
  const parts = first === 'api' ? rest : ['root', first ?? '', ...rest]
  return method.toLowerCase() + (parts.map(capitalized).join('') || 'Index')
}

/** The required credential as OpenAPI security: any one of the entries. */
export function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'public') return []
  if (access === 'setup') return [{}, { setup_token: [] }]
  const scoped = [access === 'monitor' ? 'read' : access]
  const credentials: Record<string, string[]>[] = [{ bearer: scoped }, { api_key: scoped }]
  return access === 'monitor' ? [{}, ...credentials] : credentials
}

export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key (`svc_…`) or a session (`sess_…`)' },
  api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key' },
  setup_token: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Setup-Token',
    description: 'The token that hearthd printed at startup; required for setup from another machine',
  },
  socket_token: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'An API key, a session or a ticket',
  },
}
