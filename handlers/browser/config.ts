import { BrowserConfigChange, browserConfig, changeConfig } from '../../runtime/browser/settings.ts'
import { BrowserConfig } from '../../runtime/browser/setup-schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { readSection } from '../../runtime/settings/section.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/browser/config',
  summary: 'Read the configuration of the browser',
  returns: BrowserConfig,
  async run(_, context) {
    return readSection(context, browserConfig)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/browser/config',
  summary: 'Change any part of it; the lists of hosts ask for the scope admin',
  body: BrowserConfigChange,
  returns: BrowserConfig,
  async run({ body }, context) {
    return changeConfig(context, body)
  },
})
