import { createKeyLocally } from '../../../runtime/auth/local.ts'
import { ScopeName } from '../../../runtime/auth/schema.ts'
import { type Command, Failure, print, textOption } from './command.ts'
import { withLocalHost } from './local-host.ts'
import { environmentOf } from './settings.ts'

export const command: Command = {
  usage: 'key create',
  what: 'Create an API key; it is shown this once',
  options: [
    ['--name', 'Name of the key', 'Command line'],
    ['--description', 'What it is for'],
    ['--scopes', 'read, write, approve, admin, separated by commas', 'admin'],
    ['--expires-at', 'Last moment, ISO 8601'],
    ['--json', 'Print JSON'],
  ],
  async run(_, options) {
    const scopes = (textOption(options, 'scopes') ?? 'admin').split(',').map((scope) => scope.trim())
    const wrong = scopes.find((scope) => !ScopeName.safeParse(scope).success)
    if (wrong !== undefined)
      throw new Failure(`There is no scope "${wrong}"; take read, write, approve or admin`)
    const key = await withLocalHost(environmentOf({}), (host) =>
      createKeyLocally(host, {
        name: textOption(options, 'name') ?? 'Command line',
        description: textOption(options, 'description') ?? '',
        scopes: scopes.map((scope) => ScopeName.parse(scope)),
        expires_at: textOption(options, 'expires-at') ?? null,
      }),
    )
    print(options, key, key.key)
  },
}
