import type { SettingsChange } from '../../../runtime/sections/history-store.ts'
import { apiCommand, profileTimes } from './client.ts'
import { print } from './command.ts'

const history = apiCommand({
  usage: 'settings history [section]',
  what: 'List changes of the settings, newest first',
  async run([section], options, client) {
    const found = await client.get('/api/settings/history', { query: { section, limit: 50 } })
    print(options, found, found.changes.map(lineOf(await profileTimes(client))).join('\n') || 'No changes')
  },
})

const undo = apiCommand({
  usage: 'settings undo <change>',
  what: 'Undo a change of the settings, unless a later one changed the same values',
  async run([id = ''], options, client) {
    const change = await client.post('/api/settings/history/{id}/undo', { params: { id } })
    print(options, change, lineOf(await profileTimes(client))(change))
  },
})

const lineOf =
  (localTime: (at: string) => string) =>
  ({ id, at, actor, section, fields, undone_by }: SettingsChange): string => {
    const changes = fields.map(({ field, before, after, secret }) =>
      secret ? `${field} (secret)` : `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
    )
    return `${id}  ${localTime(at)}  ${actor}  ${section}  ${changes.join(', ')}${undone_by ? '  (undone)' : ''}`
  }

export const commands = [history, undo]
