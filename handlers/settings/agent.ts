import { endpoint } from '../../runtime/http/endpoint.ts'
import { AgentSettings, AgentSettingsChange, agentSettings } from '../../runtime/settings/agent.ts'
import { changeAgentSettings } from '../../runtime/settings/change-agent.ts'
import { showSection } from '../../runtime/settings/section.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/agent',
  summary: 'Read how answers are made',
  returns: AgentSettings,
  async run(_, context) {
    return (await showSection(context, agentSettings)) as AgentSettings
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/agent',
  summary: 'Change any part of how answers are made',
  body: AgentSettingsChange,
  returns: AgentSettings,
  async run({ body }, context) {
    return (await changeAgentSettings(context, body)) as AgentSettings
  },
})
