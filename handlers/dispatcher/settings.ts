import { changeDispatcherSettings } from '../../runtime/dispatcher/change-settings.ts'
import { DispatcherSettings, dispatcherSettings } from '../../runtime/dispatcher/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { subsetOf } from '../../runtime/sections/merge.ts'
import { readSection, showSection } from '../../runtime/sections/section.ts'

export const showSettings = endpoint({
  method: 'GET',
  path: '/api/dispatcher/settings',
  owner: 'house',
  summary: 'Get the settings of the dispatcher',
  returns: DispatcherSettings,
  async run(_, context) {
    return readSection(context, dispatcherSettings)
  },
})

export const updateSettings = endpoint({
  method: 'PUT',
  path: '/api/dispatcher/settings',
  owner: 'house',
  access: 'admin',
  summary: 'Change settings of the dispatcher',
  body: subsetOf(DispatcherSettings),
  before: (_, context) => showSection(context, dispatcherSettings),
  returns: DispatcherSettings,
  async run({ body }, context) {
    return changeDispatcherSettings(context, body)
  },
})
