import { changeDispatcherSettings } from '../../runtime/dispatcher/change-settings.ts'
import { DispatcherSettings, dispatcherSettings } from '../../runtime/dispatcher/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { subsetOf } from '../../runtime/sections/merge.ts'
import { readSection, showSection } from '../../runtime/sections/section.ts'

export const showSettings = endpoint('GET /api/dispatcher/settings', {
  owner: 'shared',
  summary: 'Get the settings of the dispatcher',
  returns: DispatcherSettings,
  run: (_, context) => readSection(context, dispatcherSettings),
})

export const updateSettings = endpoint('PUT /api/dispatcher/settings', {
  owner: 'shared',
  access: 'admin',
  summary: 'Change settings of the dispatcher',
  body: subsetOf(DispatcherSettings),
  before: (_, context) => showSection(context, dispatcherSettings),
  returns: DispatcherSettings,
  run: ({ body }, context) => changeDispatcherSettings(context, body),
})
