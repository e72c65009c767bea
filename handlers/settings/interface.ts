import { endpoint } from '../../runtime/http/endpoint.ts'
import { InterfaceChange, InterfaceSettings, interfaceSettings } from '../../runtime/settings/interface.ts'
import { changeSection, readSection } from '../../runtime/settings/section.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/interface',
  summary: 'Read how the interface looks',
  returns: InterfaceSettings,
  async run(_, context) {
    return readSection(context, interfaceSettings)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/interface',
  summary: 'Change any part of how the interface looks',
  body: InterfaceChange,
  returns: InterfaceSettings,
  async run({ body }, context) {
    return changeSection(context, interfaceSettings, body)
  },
})
